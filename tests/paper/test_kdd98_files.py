"""The files of the KDD Cup 1998: read as they are published, refused by name where they differ.

The originals are not part of the project; generated files of their format stand for them.
"""

import csv
import hashlib
import lzma
import os
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from truing import DataError
from truing.paper.kdd98 import PUBLISHED, generate, read_folder, write_campaign
from truing.paper.kdd98.originals import FIELDS
from truing.paper.kdd98.sample import ANSWERS, SAMPLE

SIZE = 300
LEARNING, VALIDATION, TARGETS = "cup98LRN.txt", "cup98VAL.txt", "valtargt.txt"
SHORTAGE = "the environment variable TRUING_KDD98 names no folder with files of the cup"


@pytest.fixture
def files(tmp_path):
    """A folder of generated files, and what they hold."""
    return tmp_path, write_campaign(tmp_path, SIZE, seed=0)


def lines_of(path):
    return path.read_bytes().decode("latin-1").split("\r\n")[:-1]


def write_lines(path, lines):
    path.write_bytes("".join(f"{line}\r\n" for line in lines).encode("latin-1"))


def change(path, line, field, text):
    """Put another text into a field, given by name, of a line counted from 1."""
    lines = lines_of(path)
    parts = lines[line - 1].split(",")
    parts[lines[0].split(",").index(field)] = text
    lines[line - 1] = ",".join(parts)
    write_lines(path, lines)


def pack(path, inside=None):
    """Put a text into an archive as the cup did, and take the text away."""
    with zipfile.ZipFile(path.with_suffix(".zip"), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(path, inside or path.name)
    path.unlink()


def same(first, second):
    parts = ("attributes", "history", "gifts", "weights")
    return all(
        np.array_equal(getattr(first, part), getattr(second, part), equal_nan=True)
        for part in parts
    )


# --------------------------------------------------------------------------------- what is read


def test_people_are_as_the_text_tells_them(files):
    folder, expected = files
    people = read_folder(folder, expected).learning
    with (folder / LEARNING).open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(people) == len(rows) == SIZE
    for row, told, history, gift in zip(
        rows, people.attributes, people.history, people.gifts, strict=True
    ):
        first, last = ((97 - int(d[:2])) * 12 + 6 - int(d[2:]) for d in _dates(row))
        income = float(row["INCOME"]) if row["INCOME"].strip() else np.nan
        share = float(row["NGIFTALL"]) / float(row["NUMPROM"])
        letter, star = "_ABCDEFG".index(row["RFA_2A"]), row["PEPSTRFL"] == "X"
        expected_row = [income, first, last, share, float(row["RFA_2F"]), letter, star]
        assert np.array_equal(told, expected_row, equal_nan=True)
        assert history.tolist() == [float(row["LASTGIFT"]), float(row["AVGGIFT"])]
        assert gift == float(row["TARGET_D"])
    assert (people.weights == 1.0).all()
    assert people.responded.sum() == expected.learning_responders == (people.gifts > 0).sum()


def _dates(row):
    return row["FISTDATE"], row["LASTDATE"]


def test_answers_find_their_people_by_control_number(files):
    folder, expected = files
    read = read_folder(folder, expected)
    told = dict(line.split(",")[::2] for line in lines_of(folder / TARGETS)[1:])
    with (folder / VALIDATION).open(newline="") as stream:
        numbers = [row["CONTROLN"] for row in csv.DictReader(stream)]
    assert numbers != list(told)  # the answers are in another order
    assert read.validation.gifts.tolist() == [float(told[number]) for number in numbers]
    assert np.array_equal(read.answers, read.validation.gifts)
    assert read.official


def test_archives_any_case_and_any_line_ends(files):
    folder, expected = files
    read = read_folder(folder, expected)
    pack(folder / LEARNING, "data/CUP98LRN.TXT")
    (folder / VALIDATION).rename(folder / "CUP98VAL.TXT")
    answers = (folder / TARGETS).read_bytes()
    (folder / TARGETS).unlink()
    (folder / "ValTargt.txt").write_bytes(answers.replace(b"\r\n", b"\n"))
    (folder / "notes.doc").write_text("something else")
    again = read_folder(folder, expected)
    assert same(again.learning, read.learning)
    assert same(again.validation, read.validation)


def test_checksums_of_archives_and_of_answers(files):
    folder, expected = files
    for name in (LEARNING, VALIDATION):
        pack(folder / name)
    sums = {
        path.name.lower(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
    }
    assert len(sums) == 3
    read_folder(folder, replace(expected, sums=sums))
    answers = (folder / TARGETS).read_bytes()
    (folder / TARGETS).write_bytes(answers.replace(b"\r\n", b"\n").replace(b",0\n", b",0.0\n"))
    read_folder(folder, replace(expected, sums=sums))  # the same answers, written otherwise
    for name, right in sums.items():
        wrong = replace(expected, sums={**sums, name: "0" * 64})
        with pytest.raises(DataError, match=rf"(?i){name}: .*sha256.* {right}, 0{{64}} expected"):
            read_folder(folder, wrong)


def test_dates_that_are_none_are_not_known(files):
    folder, expected = files
    change(folder / LEARNING, 5, "FISTDATE", "0")
    change(folder / LEARNING, 6, "FISTDATE", "9513")
    change(folder / LEARNING, 7, "LASTDATE", "9707")
    attributes = read_folder(folder, expected).learning.attributes
    assert np.argwhere(np.isnan(attributes[:, 1:])).tolist() == [[3, 0], [4, 0], [5, 1]]
    change(folder / LEARNING, 8, "FISTDATE", "")
    change(folder / LEARNING, 9, "FISTDATE", "May")
    with pytest.raises(DataError, match="FISTDATE is '0' in line 5; a date YYMM up to 9706"):
        read_folder(folder, expected)


def test_generated_data_say_so():
    made = generate(SIZE, seed=3)
    assert made.data.startswith("GENERATED, not the data of the KDD Cup 1998")
    assert "UCI KDD archive" in made.data
    assert not made.official
    assert same(made.learning, generate(SIZE, seed=3).learning)
    assert not same(made.learning, generate(SIZE, seed=4).learning)


# -------------------------------------------------------------------------------- what is refused


def drop_last_line(path):
    write_lines(path, lines_of(path)[:-1])


def cut_last_line(path):
    path.write_bytes(path.read_bytes()[:-40])


def one_column_less(path):
    write_lines(path, [line.partition(",")[2] for line in lines_of(path)])


def no_rows(path):
    write_lines(path, lines_of(path)[:1])


def no_bytes(path):
    path.write_bytes(b"")


def no_header(path):
    write_lines(path, lines_of(path)[1:])


def another_name(path):
    write_lines(path, [lines_of(path)[0].replace("RFA_2F", "RFA2F"), *lines_of(path)[1:]])


def swap_response(path):
    lines = lines_of(path)
    at = next(at for at, line in enumerate(lines) if line.split(",")[1] == "1")
    other = next(at for at, line in enumerate(lines) if line.split(",")[1] == "0")
    lines[at] = lines[at].split(",")[0] + ",0,0"
    lines[other] = lines[other].split(",")[0] + ",0,0"
    write_lines(path, lines)


def first_twice(path):
    lines = lines_of(path)
    number = lines[1].split(",")[0]
    write_lines(path, [*lines[:2], ",".join([number, *lines[2].split(",")[1:]]), *lines[3:]])


def setting(line, field, text):
    def apply(path):
        change(path, line, field, text)

    return apply


WRONG = {
    "a row is missing": (LEARNING, drop_last_line, ["cup98LRN.txt: 299 rows", "300 expected"]),
    "a line is cut": (LEARNING, cut_last_line, ["cup98LRN.txt: line 301 has", "fields", "481"]),
    "a column is missing": (LEARNING, one_column_less, ["cup98LRN.txt: 480 columns", "481 exp"]),
    "no rows": (LEARNING, no_rows, ["cup98LRN.txt", "no row"]),
    "empty": (LEARNING, no_bytes, ["cup98LRN.txt: the header has no INCOME", "0 names"]),
    "no header": (VALIDATION, no_header, ["cup98VAL.txt: the header has no INCOME", "479 names"]),
    "another name": (LEARNING, another_name, ["cup98LRN.txt: the header has no RFA_2F"]),
    "validation row": (VALIDATION, drop_last_line, ["cup98VAL.txt: 299 rows", "300 expected"]),
    "answer": (TARGETS, drop_last_line, ["valtargt.txt: 299 rows", "300 expected"]),
    "responders": (TARGETS, swap_response, ["valtargt.txt", "responders found", "expected"]),
    "answered twice": (TARGETS, first_twice, ["valtargt.txt: 299 different control numbers"]),
    "gift without response": (
        LEARNING,
        setting(3, "TARGET_B", "2"),
        ["cup98LRN.txt: TARGET_B is '2' in line 3", "from 0 to 1"],
    ),
    "words": (
        LEARNING,
        setting(4, "LASTGIFT", "ten"),
        ["cup98LRN.txt: LASTGIFT is 'ten' in line 4", "number"],
    ),
    "not a number": (LEARNING, setting(4, "LASTGIFT", "nan"), ["LASTGIFT is 'nan' in line 4"]),
    "infinite": (LEARNING, setting(4, "AVGGIFT", "1e999"), ["AVGGIFT is '1e999' in line 4"]),
    "blank": (LEARNING, setting(4, "AVGGIFT", " "), ["AVGGIFT is ' ' in line 4"]),
    "negative": (LEARNING, setting(4, "NGIFTALL", "-1"), ["NGIFTALL is '-1' in line 4", "from 0"]),
    "no promotion": (LEARNING, setting(4, "NUMPROM", "0"), ["NUMPROM is '0' in line 4", "from 1"]),
    "income": (LEARNING, setting(4, "INCOME", "8"), ["INCOME is '8' in line 4", "from 0 to 7"]),
    "letter": (LEARNING, setting(4, "RFA_2A", "H"), ["RFA_2A is 'H' in line 4", "one of", "'G'"]),
    "star": (LEARNING, setting(4, "PEPSTRFL", "Y"), ["PEPSTRFL is 'Y' in line 4", "'X'"]),
    "unknown person": (
        VALIDATION,
        setting(4, "CONTROLN", "999999"),
        ["cup98VAL.txt: CONTROLN is '999999' in line 4", "answers do not have it"],
    ),
    "person twice": (
        VALIDATION,
        setting(3, "CONTROLN", "2"),
        ["cup98VAL.txt: 299 different control numbers found, 300 expected"],
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_files_that_differ_are_refused_by_name(files, wrong):
    folder, expected = files
    name, spoil, told = WRONG[wrong]
    spoil(folder / name)
    with pytest.raises(DataError) as refused:
        read_folder(folder, expected)
    for part in told:
        assert part in str(refused.value)


def test_a_gift_of_who_gave_nothing(files):
    folder, expected = files
    line = next(
        at for at, row in enumerate(lines_of(folder / TARGETS), start=1) if row.endswith(",0,0")
    )
    change(folder / TARGETS, line, "TARGET_D", "5")
    told = rf"valtargt.txt: TARGET_B is 0 in line {line}, and TARGET_D 5"
    with pytest.raises(DataError, match=told):
        read_folder(folder, expected)


def test_donations_and_large_gifts_are_counted(files):
    folder, expected = files
    dollars = expected.validation_donations
    with pytest.raises(DataError, match=f"{dollars:,} dollars of donations found"):
        read_folder(folder, replace(expected, validation_donations=dollars + 0.01))
    large = expected.learning_large_gifts
    with pytest.raises(DataError, match=rf"cup98LRN.txt: {large} gifts above \$50 found"):
        read_folder(folder, replace(expected, learning_large_gifts=large + 1))


@pytest.mark.parametrize("name", [LEARNING, VALIDATION, TARGETS])
def test_missing_files_are_named(files, name):
    folder, expected = files
    (folder / name).unlink()
    with pytest.raises(DataError, match="is missing in the folder") as refused:
        read_folder(folder, expected)
    assert str(refused.value).lower().startswith(("cup98", "valtargt"))
    assert name.lower() in str(refused.value).partition(" is missing")[0]


def test_folders_without_data_are_refused_and_told_where_they_are_published(tmp_path):
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(DataError, match="UCI KDD archive") as refused:
            read_folder(folder)
        assert str(folder) in str(refused.value)


def test_generated_files_are_not_the_published_ones(files):
    with pytest.raises(DataError, match=r"valtargt.txt: 300 rows found, 96,367 expected"):
        read_folder(files[0])


def test_archives_without_the_text(files):
    folder, expected = files
    pack(folder / LEARNING, "readme.txt")
    with pytest.raises(DataError, match=r"cup98LRN.zip: cup98lrn.txt is not in it.*readme.txt"):
        read_folder(folder, expected)


@pytest.mark.parametrize("keep", [0, 10, 0.5, -3])
def test_damaged_archives(files, keep):
    folder, expected = files
    pack(folder / LEARNING)
    archive = folder / "cup98LRN.zip"
    whole = archive.read_bytes()
    archive.write_bytes(whole[: int(keep * len(whole)) if keep == 0.5 else keep])
    with pytest.raises(DataError, match=r"cup98LRN.zip cannot be read"):
        read_folder(folder, expected)


def test_archives_with_a_wrong_bit(files):
    folder, expected = files
    pack(folder / LEARNING)
    archive = folder / "cup98LRN.zip"
    spoiled = bytearray(archive.read_bytes())
    spoiled[len(spoiled) // 2] ^= 0xFF
    archive.write_bytes(spoiled)
    with pytest.raises(DataError, match=r"cup98LRN.zip"):
        read_folder(folder, expected)


# ------------------------------------------------------------------------------------ the sample


def write_sample(folder, expected):
    """Turn generated files into a sample's: all who gave, and every second of the others."""
    with (folder / LEARNING).open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    gave = [row for row in rows if row["TARGET_B"] == "1"]
    kept = gave + [row for row in rows if row["TARGET_B"] == "0"][::2]
    people = read_folder(folder, expected).learning
    months = {row["CONTROLN"]: told[1:3] for row, told in zip(rows, people.attributes, strict=True)}
    header = (
        "CONTROLN,TARGET_B,TARGET_D,INCOME_GROUP,MONTHS_SINCE_FIRST_GIFT,MONTHS_SINCE_LAST_GIFT,"
        "LIFETIME_GIFT_COUNT,LIFETIME_PROM,FREQUENCY_STATUS_97NK,PEP_STAR,LAST_GIFT_AMT,"
        "LIFETIME_AVG_GIFT_AMT"
    )
    lines = [header]
    for row in kept:
        first, last = months[row["CONTROLN"]]
        star = int(row["PEPSTRFL"] == "X")
        lines.append(
            f"{row['CONTROLN']},{row['TARGET_B']},{row['TARGET_D']},{row['INCOME'].strip()},"
            f"{first:.0f},{last:.0f},{row['NGIFTALL']},{row['NUMPROM']},{row['RFA_2F']},{star},"
            f"{row['LASTGIFT']},{row['AVGGIFT']}"
        )
    answers = (folder / TARGETS).read_bytes()
    for name in (LEARNING, VALIDATION, TARGETS):
        (folder / name).unlink()
    with lzma.open(folder / SAMPLE, "wt") as stream:
        stream.write("\n".join([*lines, ""]))
    with lzma.open(folder / ANSWERS, "wb") as stream:
        stream.write(answers.replace(b"\r\n", b"\n"))
    return replace(expected, sample_rows=len(kept))


@pytest.fixture
def sampled(files):
    """A folder of a generated sample, and what it holds."""
    return files[0], write_sample(*files)


def test_a_sample_stands_for_the_learning_set(tmp_path):
    expected = write_campaign(tmp_path, SIZE, seed=0)
    everybody = read_folder(tmp_path, expected)
    expected = write_sample(tmp_path, expected)
    read = read_folder(tmp_path, expected)
    assert read.validation is None
    assert sorted(read.answers) == sorted(everybody.answers)
    people = read.learning
    assert people.weights.sum() == pytest.approx(SIZE, rel=1e-12, abs=0)
    assert (people.weights[people.responded == 1] == 1.0).all()
    without_amount = np.delete(everybody.learning.attributes, 5, axis=1)
    gave = everybody.learning.gifts > 0
    count = int(gave.sum())
    assert np.array_equal(people.attributes[:count], without_amount[gave], equal_nan=True)
    assert np.array_equal(people.attributes[count:], without_amount[~gave][::2], equal_nan=True)
    assert people.gifts.sum() == everybody.learning.gifts.sum()


@pytest.mark.parametrize("name", [SAMPLE, ANSWERS])
def test_missing_files_of_a_sample_are_named(sampled, name):
    folder, expected = sampled
    (folder / name).unlink()
    with pytest.raises(DataError, match=f"{name} is missing in the folder"):
        read_folder(folder, expected)


def test_samples_that_differ_are_refused(sampled):
    folder, expected = sampled
    with pytest.raises(DataError, match=rf"{SAMPLE}: {expected.sample_rows} rows found"):
        read_folder(folder, replace(expected, sample_rows=19_372))
    responders = expected.learning_responders
    with pytest.raises(DataError, match=rf"{SAMPLE}: {responders} responders found"):
        read_folder(folder, replace(expected, learning_responders=responders + 1))
    archive = folder / SAMPLE
    archive.write_bytes(archive.read_bytes()[:-20])
    with pytest.raises(DataError, match=f"{SAMPLE} cannot be read"):
        read_folder(folder, expected)


# --------------------------------------------------------------------------------- the real files


@pytest.mark.skipif("TRUING_KDD98" not in os.environ, reason=SHORTAGE)
def test_published_files_hold_what_they_should():
    read = read_folder(Path(os.environ["TRUING_KDD98"]))
    assert len(read.answers) == PUBLISHED.validation_rows
    assert read.learning.weights.sum() == pytest.approx(PUBLISHED.learning_rows, rel=1e-12, abs=0)
    assert read.learning.responded.sum() == PUBLISHED.learning_responders
    assert read.learning.attributes.shape[1] in (6, 7)


def test_fields_are_named_once():
    assert len(set(FIELDS)) == len(FIELDS)
