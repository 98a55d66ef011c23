"""Texts in six encodings: which one it is, and where exactly a byte does not belong."""

import codecs
from pathlib import Path

import pytest

from annotation.domain.records import InputError
from annotation.domain.sources import Shape, detect
from annotation.domain.sources.encodings import utf8_chunks
from annotation.domain.text_rows import CHUNK
from tests.domain.source_files import made, place_of, refusal, rows_of, values_of

pytestmark = pytest.mark.files

CHINESE = "编号,文本\n一,今天的天气很好，我们去公园散步吧。\n二,她写了一首关于月亮的诗，读起来很美。\n"
TRADITIONAL = "編號,文本\n一,今天的天氣很好，我們去公園散步吧。\n二,她寫了一首關於月亮的詩，讀起來很美。\n"
MIXED = "id,text\n1,GPT-4 写的 story 很好\n2,只有一个字：好\n3,Mr. Smith 说 hello\n"
SPANISH = (
    "id;texto\n1;Después de todo, la canción más allá del jardín\n2;¿Qué pasó mañana? «Nada», dijo él.\n"
)
WESTERN = {
    "Spanish": SPANISH,
    "French": "id;texte\n1;Le garçon a été là où l'île naît, créée à l’été\n2;« Où ça ? » – Né en février, ça ira…\n",
    "German": "id;text\n1;Die Müllerin sagte: „Schöne Grüße“\n2;weiß nicht, heißt es\n",
    "Portuguese": "id;texto\n1;A canção não é só do coração; são ações\n".replace("; s", ", s"),
    "one word": "id,name\n1,Zoë\n",
    "one word of two accents in a row": "id,name\n1,coração\n",
    "one name that begins with two": "id,name\n1,Íñigo\n",
    "in capitals": "id,name\n1,AÇÃO\n",
    "typographic": "id,text\n1,“It’s late” — he said… €5\n",
    "a sign": "id,text\n1,5 ±1 m²\n",
}


def encoding_of(path: Path) -> str:
    return detect(path, name=path.name).encoding


@pytest.mark.parametrize("text", [CHINESE, SPANISH, MIXED, "id,x\na,b\n"])
@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ],
)
def test_a_mark_or_its_absence_tells_the_encoding(tmp_path, text, mark, encoding):
    plain = made(tmp_path, text, "plain.csv")
    path = made(tmp_path, mark + text.encode(encoding.removesuffix("-sig")))
    assert encoding_of(path) == encoding
    assert values_of(path) == values_of(plain)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["id,text\n1,hello\n", "id\ttext\n17-4162-a477\t写得好\n23-83b1-f4\t一般\n"])
def test_utf16_without_a_mark_shows_by_its_zeros(tmp_path, text, encoding):
    path = made(tmp_path, text.encode(encoding))
    assert encoding_of(path) == encoding
    assert values_of(path) == values_of(made(tmp_path, text, "plain.csv"))


@pytest.mark.parametrize("text", [CHINESE, TRADITIONAL, MIXED, "编号,id\n1,2\n"])
def test_chinese_of_old_excel_is_gb18030(tmp_path, text):
    path = made(tmp_path, text.encode("gb18030"))
    assert encoding_of(path) == "gb18030"
    assert values_of(path) == values_of(made(tmp_path, text, "plain.csv"))


@pytest.mark.parametrize("text", WESTERN.values(), ids=WESTERN)
def test_western_text_of_old_excel_is_cp1252(tmp_path, text):
    path = made(tmp_path, text.encode("cp1252"))
    assert encoding_of(path) == "cp1252"
    assert values_of(path) == values_of(made(tmp_path, text, "plain.csv"))


def test_the_encoding_is_found_however_late_the_first_accent_comes(tmp_path):
    plain = "id,text\n" + f"1,{'plain letters ' * 100}\n" * (2 * CHUNK // 1400)
    for late, encoding in (("1,mañana", "cp1252"), ("1,今天天气", "gb18030"), ("1,mañana", "utf-8")):
        path = made(tmp_path, (plain + late + "\n").encode(encoding))
        assert encoding_of(path) == encoding
        assert rows_of(path)[-1].values["text"] == late[2:]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("編號,文本\n一,今天的天氣很好，我們去公園散步吧，她寫了一首關於月亮的詩\n", "big5"),
        ("番号,本文\n一,今日はとても天気が良いので公園を散歩しました\n", "shift_jis"),
        ("番号,本文\n一,今日はとても天気が良いので公園を散歩しました\n", "euc_jp"),
        (
            "번호,글\n하나,오늘은 날씨가 아주 좋아서 공원에서 산책을 했습니다 그리고 시를 읽었습니다\n",
            "euc_kr",
        ),
        ("номер,текст\n1,Сегодня хорошая погода и мы идём гулять в парк\n", "cp1251"),
    ],
)
def test_other_encodings_are_refused_rather_than_garbled(tmp_path, text, encoding):
    error = refusal(made(tmp_path, text.encode(encoding)))
    assert "save the file as UTF-8" in error.reason
    assert len(rows_of(made(tmp_path, text, "utf8.csv"))) == 1


def test_utf32_is_refused(tmp_path):
    assert "UTF-32" in refusal(made(tmp_path, "id,x\na,b\n".encode("utf-32"))).reason


BROKEN = {
    "UTF-8": (
        "utf-8",
        "id,text\n1,今天\n2,天气很好\n3,".encode() + b"\xe4\xbb," + "今天\n".encode(),
        (4, "3"),
        "0xe4",
    ),
    "UTF-8, cut off": ("utf-8", "id,text\n1,今天\n2,天气很好\n3,今".encode()[:-1], (4, "3"), "0xe4"),
    "UTF-8, a surrogate": ("utf-8", "id,text\n1,今天好\n2,".encode() + b"\xed\xa0\x80\n", (3, "3"), "0xed"),
    "UTF-16": ("utf-16-le", "id,text\n1,今天\n2,天".encode("utf-16-le") + b"\x00\xd8a\x00", (3, "7"), "0x00"),
    "UTF-16, cut off": ("utf-16-be", "id,x\n1,天".encode("utf-16-be")[:-1], (2, "5"), "0x59"),
    "GB18030": ("gb18030", "id,text\n1,今天\n2,天".encode("gb18030") + b"\xff,\n", (3, "5"), "0xff"),
    "cp1252": ("cp1252", "id,text\n1,mañana\n2,é".encode("cp1252") + b"\x81\n", (3, "4"), "0x81"),
}


@pytest.mark.parametrize(("encoding", "content", "place", "byte"), BROKEN.values(), ids=BROKEN)
def test_a_byte_that_does_not_belong_is_named_with_its_line_and_place(
    tmp_path, encoding, content, place, byte
):
    path = made(tmp_path, content)
    error = refusal(path, Shape("delimited", encoding, ","))
    assert place_of(error) == ("line", *place)
    assert f"the byte {byte} is not" in error.reason
    assert "save the file as UTF-8" in error.reason


def test_a_broken_byte_does_not_make_another_encoding_of_utf8(tmp_path):
    path = made(tmp_path, "id,text\n1,今天天气\n2,很好".encode() + b"\xff\n")
    assert encoding_of(path) == "utf-8"
    assert place_of(refusal(path)) == ("line", 3, "9")


@pytest.mark.parametrize(
    ("text", "encoding", "column"), [(CHINESE, "gb18030", "4"), (WESTERN["French"], "cp1252", "4")]
)
def test_nor_does_it_hide_what_the_encoding_is(tmp_path, text, encoding, column):
    path = made(tmp_path, text.encode(encoding) + b"xyz\x81\n")
    assert encoding_of(path) == encoding
    assert place_of(refusal(path)) == ("line", 4, column)


def test_rows_before_a_broken_byte_are_read(tmp_path):
    path = made(tmp_path, "id,text\n1,今天\n2,天".encode("gb18030") + b"\xff\n")
    shape = Shape("delimited", "gb18030", ",")
    with pytest.raises(InputError):
        rows_of(path, shape)
    good = b"".join(_until_error(path, "gb18030"))
    assert good.decode() == "id,text\n1,今天\n2,天"


def _until_error(path: Path, encoding: str):
    chunks = utf8_chunks(path, encoding, path.name)
    while True:
        try:
            yield next(chunks)
        except (InputError, StopIteration):
            return


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "gb18030"])
def test_a_character_may_lie_across_two_pieces_of_a_file(tmp_path, encoding):
    text = "id,text\n" + "".join(f"{number},天气{'好' * (number % 7)}\n" for number in range(180_000))
    path = made(tmp_path, text.encode(encoding))
    assert path.stat().st_size > CHUNK
    assert b"".join(utf8_chunks(path, encoding, "x")).decode() == text


def test_binary_rubbish_is_no_text(tmp_path):
    rubbish = bytes((number * 7919 + number // 256) % 256 for number in range(10_000))
    error = refusal(made(tmp_path, rubbish))
    assert "no text" in error.reason
    assert "no text" in refusal(made(tmp_path, bytes(5000))).reason
