"""Datasets of recordings, read by MindSpore 2.10 and by sporax.

Each is a function of a namespace with `ds` (`mindspore.dataset`) and of the folder that
`write_sounds` filled.
"""

import struct

import numpy as np

GENRES = (
    "blues", "classical", "country", "disco", "hiphop", "jazz", "metal", "pop", "reggae", "rock",
)  # fmt: skip


def write_wav(path, samples, rate, width=2, format=1, claimed=None):
    """Write a WAV file of integers (`format` 1) or floats (3); `claimed`: the data size in its
    header."""
    samples = np.asarray(samples)
    channels = samples.shape[1] if samples.ndim == 2 else 1
    if format == 3 or width != 3:
        kind = {1: "<u1", 2: "<i2", 4: "<i4"}[width] if format == 1 else f"<f{width}"
        data = samples.astype(kind).tobytes()
    else:
        data = b"".join(int(x).to_bytes(3, "little", signed=True) for x in samples.ravel())
    head = struct.pack(
        "<HHIIHH", format, channels, rate, rate * channels * width, channels * width, 8 * width
    )
    size = len(data) if claimed is None else claimed
    body = b"WAVEfmt " + struct.pack("<I", 16) + head + b"data" + struct.pack("<I", size) + data
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"RIFF" + struct.pack("<I", len(body)) + body)


def write_sphere(path, samples, rate):
    """Write a file of 16-bit integers in NIST's SPHERE format."""
    head = (
        f"NIST_1A\n   1024\nchannel_count -i 1\nsample_count -i {len(samples)}\n"
        f"sample_rate -i {rate}\nsample_n_bytes -i 2\nsample_byte_format -s2 01\n"
        "sample_sig_bits -i 16\nsample_coding -s3 pcm\nend_head\n"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    content = np.asarray(samples).astype("<i2").tobytes()
    path.write_bytes(head.encode("ascii").ljust(1024) + content)


def write_text(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_sounds(folder):
    """Write small files in the formats of the datasets."""
    arctic = folder / "arctic" / "cmu_us_aew_arctic"
    for i in (3, 1, 2):
        write_wav(arctic / "wav" / f"arctic_a000{i}.wav", [i, -i, 32767, -32768], 16000)
    said = '( arctic_a0001 "Author of the danger trail, etc." )\n( arctic_a0003 "Third." )\n'
    write_text(arctic / "etc" / "txt.done.data", said)
    write_wav(folder / "arctic/cmu_us_ahw_arctic/wav/arctic_a0001.wav", [1], 8000)
    write_text(folder / "arctic/cmu_us_ahw_arctic/etc/txt.done.data", '( arctic_a0001 "x" )\n')
    write_text(folder / "arctic/cmu_us_aup_arctic/etc/txt.done.data", "no format\n")
    for k, genre in enumerate(GENRES):
        for i in range(100):
            write_wav(folder / "gtzan" / genre / f"{genre}.{i:05}.wav", [k * 100 + i], 22050)
    write_wav(folder / "gtzan" / "blues" / "x.wav", [1], 22050)
    write_wav(folder / "gtzan" / "other" / "other.00000.wav", [1], 22050)
    chapters = {
        "dev-clean/116/288045": ("000003_000000", "000003_000001"),
        "dev-clean/1255/74899": ("1_0",), "test-other/7/8": ("1_2",),
    }  # fmt: skip
    for place, keys in chapters.items():
        path = folder / "libri" / place
        start = "_".join(place.split("/")[1:])
        rows = [f"{start}_{key}\tMr. {key},\tMister {key}\n" for key in keys]
        write_text(path / f"{start}.trans.tsv", "".join(rows))
        for key in keys:
            write_wav(path / f"{start}_{key}.wav", [len(key), 7], 24000)
    for i in (2, 1):
        write_wav(folder / "lj" / "wavs" / f"LJ001-000{i}.wav", [i, 5], 22050)
    write_text(folder / "lj" / "metadata.csv", 'LJ001-0002|b "q", 2|two\nLJ001-0001|In 1|One\n')
    for i, name in enumerate(("dog/aa_nohash_0", "dog/ab_nohash_11", "cat/b433eff_nohash_0",
                              "cat/c_nohash_1", "_background_noise_/white")):  # fmt: skip
        write_wav(folder / "commands" / f"{name}.wav", [i, i], 16000)
    write_text(folder / "commands" / "validation_list.txt", "dog/aa_nohash_0.wav\n")
    write_text(folder / "commands" / "testing_list.txt", "cat/c_nohash_1.wav\n")
    for part in ("old/dev", "old/test", "old/train", "new/data"):
        for talk in ("B_2009", "A_2010"):
            write_sphere(folder / part / "sph" / f"{talk}.sph", np.arange(8000) % 999, 8000)
            rows = [
                f"{talk} 1 {talk} 0.5 0.501 <o,f0,male> hello {part} (2) world\n",
                f"{talk} 1 S2 0.25003 0.2505 <o,f0,female> ignore_time_segment_in_scoring\n",
            ]
            write_text(folder / part / "stm" / f"{talk}.stm", "".join(rows))
    for name, value in (("1_1_0_0_1_0_1_0", 4), ("0_1_1_1_1_1_1_1", 9)):
        write_wav(folder / "yesno" / f"{name}.wav", [value, -value], 8000)
    write_text(folder / "yesno" / "README", "x")
    write_wav(folder / "words" / "a_b.wav", [1], 8000)
    (folder / "damaged").mkdir()
    (folder / "damaged" / "1_0.wav").write_bytes(b"abc")
    (folder / "empty").mkdir()


def _shown(x):
    return x.round(7).tolist() if x.dtype.kind == "f" else x.tolist()


def summary(data, first=0):
    """Return names, dtypes, and the sorted rows, from column `first` on."""
    rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    values = [[_shown(x) for x in row[first:]] for row in rows]
    kinds = [str(kind) for kind in data.output_types()]
    return data.get_col_names(), kinds, sorted(values, key=str)


def numbers(data):
    """Return the first sample of each row, as a sorted list of integers."""
    rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    return sorted(round(float(row[0][0, 0]) * 32767) for row in rows)


def in_order(data):
    rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    return [[x.tolist() for x in row[1:]] for row in rows]


def of(name, folder, *args, get=summary, **options):
    def case(ms, where):
        given = {"shuffle": False} | options
        return get(getattr(ms.ds, name)(str(where / folder), *args, **given))

    return case


SETS = {
    "CMUArctic": of("CMUArcticDataset", "arctic"),
    "CMUArctic in order": of("CMUArcticDataset", "arctic", get=in_order),
    "CMUArctic, another rate": of("CMUArcticDataset", "arctic", "ahw"),
    "CMUArctic, another format": of("CMUArcticDataset", "arctic", "aup"),
    "CMUArctic, not there": of("CMUArcticDataset", "arctic", "slt"),
    "CMUArctic, no speaker": of("CMUArcticDataset", "arctic", "xyz"),
    "CMUArctic, samples": of("CMUArcticDataset", "arctic", num_samples=1),
    "CMUArctic, shard": of("CMUArcticDataset", "arctic", num_shards=2, shard_id=1),
    "CMUArctic, no folder": of("CMUArcticDataset", "nowhere"),
    "GTZAN labels": of("GTZANDataset", "gtzan", "valid", num_samples=1),
    "GTZAN other": of("GTZANDataset", "gtzan", "other"),
    "LibriTTS in order": of("LibriTTSDataset", "libri", get=in_order),
    "LJSpeech": of("LJSpeechDataset", "lj"),
    "LJSpeech in order": of("LJSpeechDataset", "lj", get=in_order),
    "LJSpeech, no files": of("LJSpeechDataset", "empty"),
    "SpeechCommands other": of("SpeechCommandsDataset", "commands", "other"),
    "SpeechCommands, no files": of("SpeechCommandsDataset", "empty"),
    "YesNo": of("YesNoDataset", "yesno"),
    "YesNo, other names": of("YesNoDataset", "words"),
    "YesNo, damaged": of("YesNoDataset", "damaged"),
    "YesNo, no files": of("YesNoDataset", "empty"),
    "Tedlium, no release": of("TedliumDataset", "old", "release4"),
    "Tedlium, other files": of("TedliumDataset", "old", "release1", extensions=".wav"),
    "Tedlium, no folder": of("TedliumDataset", "old", "release3"),
    "Tedlium 3, other usage": of("TedliumDataset", "new", "release3", "train"),
}
for usage in ("train", "valid", "test", "all", None):
    SETS[f"GTZAN {usage}"] = of("GTZANDataset", "gtzan", usage, get=numbers)
    SETS[f"SpeechCommands {usage}"] = of("SpeechCommandsDataset", "commands", usage)
for usage in ("dev-clean", "test-other", "all", None, "train-clean-100", "other"):
    SETS[f"LibriTTS {usage}"] = of("LibriTTSDataset", "libri", usage)
for usage in ("dev", "test", "train", "all", None, "other"):  # MindSpore's samples are all 0
    SETS[f"Tedlium {usage}"] = of("TedliumDataset", "old", "release1", usage, get=in_order)
SETS["Tedlium 2"] = of("TedliumDataset", "old", "release2", "dev", get=in_order)
SETS["Tedlium 3"] = of("TedliumDataset", "new", "release3", get=in_order)
SETS["Tedlium columns"] = of(
    "TedliumDataset", "new", "release3", get=lambda data: summary(data, first=1)
)
