"""What a column is, by its name and by what stands in it."""

import re
import unicodedata
from collections.abc import Sequence

from annotation.domain.field_map import RATING, as_key
from annotation.domain.records import Record

# By field, the names under which people write it, in the form of `plain`, the surest first.
SYNONYMS: dict[str, tuple[str, ...]] = {
    "text": (
        "text", "response", "response_text", "回答", "回答内容", "回复", "文本", "作品", "作文", "正文", "内容",
        "respuesta", "texto", "relato", "sinopsis", "story", "story_text", "essay", "poem", "output",
        "output_text", "completion", "generation", "generated_text", "model_output", "answer", "content",
        "predict0", "body",
    ),
    "prompt": (
        "prompt", "prompt_text", "writing_prompt", "题目", "题目内容", "提示", "提示词", "提示语", "指令", "问题",
        "写作要求", "consigna", "enunciado", "instruccion", "instruction", "instructions", "query", "question",
        "topic", "title", "titulo", "标题", "input",
    ),
    "prompt_id": (
        "prompt_id", "promptid", "题目编号", "题目id", "题号", "提示编号", "提示id", "问题编号", "问题id",
        "指令编号", "question_id", "query_id", "topic_id", "title_id", "instruction_id", "task_id", "qid", "pid",
        "id_prompt", "id_consigna", "id_titulo",
    ),
    "response_id": (
        "response_id", "responseid", "回答编号", "回答id", "回复编号", "文本编号", "文本id", "作品编号", "作文编号",
        "答案编号", "样本编号", "item_id", "itemid", "text_id", "story_id", "essay_id", "output_id", "answer_id",
        "completion_id", "instance_id", "doc_id", "document_id", "id_respuesta", "id_texto", "item", "条目",
    ),
    "model": (
        "model", "model_id", "model_name", "source_model", "模型", "模型名称", "模型名", "modelo", "generator",
        "system", "system_id", "llm", "engine", "writer", "writer_model", "synopsis_writer", "story_writer",
        "作者", "author", "autor",
    ),
    "genre": (
        "genre", "体裁", "文体", "类型", "类别", "标签", "genero", "tag", "tags", "category", "categoria",
        "subset", "type", "domain",
    ),
    "language": ("language", "lang", "语言", "语种", "idioma", "lengua", "locale"),
    "sample": ("sample", "sample_index", "sample_no", "choice_index", "generation_index", "样本", "muestra"),
    "finish_reason": ("finish_reason", "stop_reason", "结束原因"),
    "error": ("error", "error_message", "错误", "错误信息"),
    "upvotes": ("upvotes", "ups", "votes", "点赞数", "赞数", "votos"),
    "posted_at": ("posted_at", "created_utc", "published_at", "发布时间"),
    "requirements": ("requirements", "constraint", "constraints", "写作约束", "约束"),
    "kept_requirements": ("kept_requirements",),
    "annotator": (
        "annotator", "annotator_id", "annotator_name", "rater", "rater_id", "rater_name", "评分员", "评分人",
        "评委", "评审", "标注员", "标注人", "标注者", "评阅人", "打分人", "专家", "anotador", "evaluador", "juez",
        "experto", "username", "user_id", "user_name", "user", "用户", "worker_id", "workerid", "coder",
        "evaluator", "reviewer", "grader", "scorer", "expert", "participant", "participant_id",
    ),
    "score": (
        "score", "评分", "分数", "得分", "打分", "成绩", "等级", "human_score", "rating", "human_rating", "grade",
        "puntuacion", "puntaje", "calificacion", "nota", "valoracion", "mark", "points", "quality", "label",
    ),
    "at": (
        "at", "scored_at", "rated_at", "评分时间", "标注时间", "提交时间", "时间", "timestamp", "submitted_at",
        "submit_time", "created_at", "datetime", "time", "date", "fecha", "日期",
    ),
    "justification": (
        "justification", "评语", "理由", "评分理由", "点评", "评论", "备注", "comment", "comments", "reason",
        "rationale", "explanation", "feedback", "comentario", "comentarios", "justificacion", "motivo", "notes",
    ),
}  # fmt: skip
OWN_IDS = ("id", "uid", "uuid", "编号")  # of whatever the row is about
ROW_NUMBERS = ("序号", "idx", "index", "no")

RATERS = (
    "annotators?|raters?|experts?|coders?|evaluators?|reviewers?|graders?|scorers?|评分员|评分人|评委|评审|专家|标注员|标注人"
    "|评阅人|打分人|老师|anotador|evaluador|experto|juez"
)
ONE_RATER = re.compile(rf"(?:{RATERS})[_\W]*(?P<who>[^\W_][\w-]*)")
NUMBERED = re.compile(r"(?:score|rating|评分|分数|得分|打分|puntuacion)[_\W]*(?:\d{1,2}|[a-z])")
OF_A_RATER = frozenset(
    {"id", "ids", "name", "email", "mail", "score", "comment", "note", "notes", "group", "type"}
)

# Words in the name of a column that holds what a program said of a text, not a person.
MACHINE = frozenset((
    "prediction", "predictions", "predicted", "predict", "pred", "preds", "suggestion", "suggestions", "suggested",
    "auto", "automatic", "automated", "machine", "llm", "gpt", "chatgpt", "claude", "gemini", "reward", "rewards",
    "rm", "logit", "logits", "logprob", "logprobs", "prob", "probability", "confidence", "judge", "judges",
    "judgment", "winner", "g1", "g2", "bleu", "rouge", "bertscore", "perplexity", "classifier",
))  # fmt: skip
MACHINE_ZH = ("预测", "机器", "自动", "模型评", "模型打", "模型分", "模型得", "置信", "奖励")
SCORING = frozenset({"score", "scores", "rating", "ratings", "grade", "label"})
# Words in the name of a column whose small numbers count or number something, or were computed.
COUNTING = frozenset((
    "id", "ids", "idx", "index", "no", "num", "number", "count", "counts", "n", "turn", "turns", "rank", "ranking",
    "place", "position", "order", "sample", "seed", "version", "batch", "group", "fold", "split", "epoch", "step",
    "page", "day", "month", "year", "hour", "age", "length", "len", "tokens", "words", "chars", "seconds", "round",
    "preference", "preferences", "vote", "votes", "choice", "side", "max", "assignments", "status", "column",
    "margin", "pair", "mean", "average", "avg", "median", "gap",
))  # fmt: skip
COUNTING_ZH = (
    "编号",
    "序号",
    "轮次",
    "批次",
    "排名",
    "次数",
    "字数",
    "长度",
    "年龄",
    "偏好",
    "票",
    "平均",
    "均值",
)

FEW = 10  # rows from which on a column that never varies says nothing by its content


class Table:
    """The first rows of a file, by column, in the order in which the columns occur."""

    def __init__(self, flat: Sequence[Record]) -> None:
        self.rows = flat
        self.columns = tuple(dict.fromkeys(name for record in flat for name in record.values))

    def values(self, name: str) -> list[object]:
        """What stands in a column, without the rows where nothing does."""
        found = (record.values.get(name) for record in self.rows)
        return [value for value in found if value is not None and value != ""]

    def named(self, synonyms: Sequence[str]) -> list[str]:
        """The columns with one of these names, the surest first; a part after a dot counts as a name."""
        ordered = [(name, (plain(name), plain(name.rsplit(".", 1)[-1]))) for name in self.columns]
        found = [name for wanted in synonyms for name, names in ordered if wanted in names]
        return list(dict.fromkeys(found))


def plain(name: str) -> str:
    """A name of a column in small letters, without accents, its words joined by "_"."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", unicodedata.normalize("NFKC", name).strip())
    bare = "".join(c for c in unicodedata.normalize("NFD", split) if not unicodedata.combining(c))
    return re.sub(r"[\s_.\-:/]+", "_", bare.casefold()).strip("_")


def words(name: str) -> frozenset[str]:
    """The words of a name, with and without the digits at their end."""
    parts = [part for part in plain(name).split("_") if part]
    return frozenset(parts) | {part.rstrip("0123456789") for part in parts}


def of_machine(name: str) -> bool:
    """Whether the name says that a program judged, not a person."""
    found = words(name)
    if found & MACHINE or any(sign in name for sign in MACHINE_ZH):
        return True
    return bool(found & {"model", "models", "ai"}) and bool(found & SCORING)


def is_rating(value: object) -> bool:
    """Whether a value is 0, 1, 2 or 3, as a number or as text."""
    return not isinstance(value, bool) and RATING.fullmatch(as_key(value)) is not None


def rating_columns(flat: Sequence[Record]) -> tuple[str, ...]:
    """The columns that look like scores of people on the scale 0 to 3, in the order of the file.

    Columns whose name says that they number or count something, name somebody, or hold what a program said are
    none of them.
    """
    table = Table(flat)
    return tuple(name for name in table.columns if _looks_like_rating(table, name))


def _looks_like_rating(table: Table, name: str) -> bool:
    values = table.values(name)
    if not values or not all(map(is_rating, values)) or not plain(name):
        return False
    if of_machine(name) or _counts(name) or _is_something_else(name):
        return False
    varies = len({as_key(value) for value in values}) > 1
    return varies or len(values) < FEW or bool(words(name) & (SCORING | set(SYNONYMS["score"])))


def _counts(name: str) -> bool:
    numbered = NUMBERED.fullmatch(plain(name))
    return not numbered and (bool(words(name) & COUNTING) or any(sign in name for sign in COUNTING_ZH))


def _is_something_else(name: str) -> bool:
    names = {plain(name), plain(name.rsplit(".", 1)[-1])}
    others = (known for field, known in SYNONYMS.items() if field not in ("score", "text", "genre"))
    return any(names & set(known) for known in others)


def rater_columns(flat: Sequence[Record]) -> tuple[str, ...]:
    """Two or more columns that bear a rater's name or number and hold scores; () where there are none."""
    table = Table(flat)
    found = []
    for name in table.columns:
        values = table.values(name)
        one = ONE_RATER.fullmatch(plain(name))
        named = (one and one["who"] not in OF_A_RATER) or NUMBERED.fullmatch(plain(name))
        if named and values and all(map(is_rating, values)) and not of_machine(name):
            found.append(name)
    return tuple(found) if len(found) > 1 else ()
