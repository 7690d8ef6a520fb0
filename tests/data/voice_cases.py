"""Voices in noise, detected by `Vad` and by torchaudio's `vad` (`tools.record voices`)."""

import numpy as np


def speech(rate, start, channels=1, pause=(0, 0)):
    """Noise, and from `start` seconds on a voice of 120 Hz with harmonics, but for a pause."""
    t = np.arange(3 * rate) / rate
    noise = np.random.RandomState(0).randn(channels, len(t)) * 0.002
    voice = sum(np.sin(2 * np.pi * 120 * k * t) / k for k in range(1, 20)) * 0.3
    return noise + voice * (t >= start) * ((t < pause[0]) | (t > pause[1]))


def bursts(seed):
    """Noise of another strength every 1,000 samples, in two channels."""
    draw = np.random.RandomState(seed)
    return draw.randn(2, 24000) * np.repeat(np.exp(draw.randn(2, 24) * 1.5), 1000, 1) * 0.01


OTHER = {
    "measure_duration": 0.08, "hp_filter_freq": 100.0, "lp_filter_freq": 3000.0,
    "hp_lifter_freq": 120.0, "lp_lifter_freq": 1000.0, "noise_up_time": 0.3,
    "noise_down_time": 0.05, "measure_smooth_time": 0.2,
}  # fmt: skip
LONG_PAUSE = {"pause": (1.15, 1.5), "allowed_gap": 0.4, "trigger_time": 0.5, "noise_up_time": 1.0}
# name -> (waveform, rate, arguments)
VOICES = {
    f"voice {rate} {start} {channels} {options}": (
        speech(rate, start, channels, options.get("pause", (0, 0))), rate,
        {key: value for key, value in options.items() if key != "pause"},
    )
    for rate, start, channels, options in [
        (4000, 1.5, 1, {}), (8000, 1.1, 2, {}), (4000, 2.0, 1, {"measure_freq": 40.0}),
        (4000, 1.5, 1, {"trigger_level": 5.0, "search_time": 0.5}),
        (4000, 1.5, 1, {"pre_trigger_time": 0.1}), (4000, 1.5, 1, {"trigger_time": 1.0}),
        (16000, 1.3, 1, {"noise_reduction_amount": 1.0, "boot_time": 0.1}), (8000, 1.5, 1, OTHER),
        (8000, 1.1, 1, {"pause": (1.2, 1.3)}), (8000, 1.1, 1, {"pause": (1.2, 1.5)}),
        (8000, 1.1, 1, {"pause": (1.2, 1.5), "allowed_gap": 0.05}), (8000, 1.1, 1, LONG_PAUSE),
        (8000, 1.1, 1, LONG_PAUSE | {"search_time": 0.3, "trigger_time": 0.6}),
    ]
}  # fmt: skip
VOICES |= {
    f"bursts {seed}": (bursts(seed), 8000, {"trigger_level": 2.0 + seed, "trigger_time": 0.1})
    for seed in range(6)
}
