"""Record where torchaudio's `vad` detects the voices of tests/data/voice_cases.py (MindSpore's
never detects one).

    python tools/record_voices.py       # with PyTorch and torchaudio 2.8 installed

Writes tests/recorded/voices.json: the first voice sample of each, or its length if it has no voice.
"""

import json
import sys
from pathlib import Path

import torch
from torchaudio.functional import vad

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.data.voice_cases import VOICES  # noqa: E402

if __name__ == "__main__":
    starts = {
        name: wave.shape[-1] - vad(torch.tensor(wave).float(), rate, **options).shape[-1]
        for name, (wave, rate, options) in VOICES.items()
    }
    target = ROOT / "tests" / "recorded" / "voices.json"
    target.write_text(json.dumps(starts, indent=0) + "\n", encoding="utf-8")
