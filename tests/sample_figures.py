"""One figure of each kind in each state, in both languages: what a style guide would show."""

from collections.abc import Callable

from curation.domain import charts
from curation.domain.charts import Bar, Dot, Heading, Line, Panel, Point, Shares, Words, heat_maps
from curation.domain.charts.heat_maps import Measured

Say = Callable[[str, str], str]
WORDS = {
    "en": Words("Interval from", "to", "Number", "n = {n}", "Note", "too few", "so far", "forecast"),
    "zh-hans": Words("区间自", "至", "数量", "n = {n}", "备注", "数量过少", "已完成", "预测"),
}


def english(en: str, zh: str) -> str:
    return en


def chinese(en: str, zh: str) -> str:
    return zh


def sample_charts(language: str = "en") -> list[charts.Chart]:
    say, words = (english, chinese)[language != "en"], WORDS[language]
    return [
        by_genre(say, words),
        severity(say, words),
        use(say, words),
        weekly(say, words),
        drift(say, words),
        burn_down(say, words),
        coverage(say, words),
        throughput(say, words),
        *without_data(say, words),
    ]


def by_genre(say: Say, words: Words) -> charts.Chart:
    rows = [
        Dot(say("Business e-mail", "商务邮件"), 0.74, 0.66, 0.81, 412),
        Dot(say("Argumentative essay", "议论文"), 0.71, 0.63, 0.78, 388),
        Dot(say("Speech", "演讲稿"), 0.66, 0.57, 0.74, 1204),
        Dot(
            say("Policy brief for ministers and their staff", "面向决策者的政策简报与背景说明材料"),
            0.58,
            0.47,
            0.68,
            96,
        ),
        Dot(say("Short story", "短篇小说"), 0.49, 0.05, 0.80, 21),
        Dot(
            say("Diary", "日记"),
            None,
            n=0,
            reason=say("no text was scored by two people", "没有文本由两人评分"),
        ),
        Dot(
            "记叙文 & <Essays>",
            1.0,
            None,
            None,
            64,
        ),
    ]
    return charts.dots(
        rows,
        Heading(
            "alpha-by-genre",
            say("Agreement by genre", "各体裁的一致性"),
            say("Krippendorff's alpha with its 95% interval.", "Krippendorff α 及其 95% 区间。"),
            say(
                "Business e-mail agrees best, 0.74; short stories least, 0.49, on too few.",
                "商务邮件一致性最高，0.74；短篇小说最低，0.49，且数量过少。",
            ),
        ),
        axis=say("Krippendorff's alpha (ordinal)", "Krippendorff α（定序）"),
        row_heading=say("Genre", "体裁"),
        value_heading=say("Alpha", "α"),
        lines=[Line(0.8, say("good 0.8", "良好 0.8")), Line(0.667, say("acceptable 0.667", "可接受 0.667"))],
        domain=(0, 1),
        words=words,
    )


def severity(say: Say, words: Words) -> charts.Chart:
    values = [-0.62, -0.31, -0.12, 0.0, 0.08, 0.35]
    rows = [
        Dot(f"ann-{index:02}", value, value - 0.12, value + 0.12, 240 if index != 2 else 12)
        for index, value in enumerate(values)
    ]
    return charts.dots(
        rows,
        Heading(
            "severity",
            say("Severity", "严格程度"),
            say(
                "Own score minus the mean of the others, the most severe first.",
                "本人评分减去其他人均值，最严格者在前。",
            ),
            say("ann-00 is the most severe, 0.62 below the others.", "ann-00 最严格，比其他人低 0.62。"),
        ),
        axis=say("Points of the scale", "分"),
        row_heading=say("Annotator", "评分员"),
        value_heading=say("Severity", "严格程度"),
        lines=[Line(0, say("like the others", "与他人相同"))],
        words=words,
    )


def use(say: Say, words: Words) -> charts.Chart:
    rows = [
        Shares("ann-05", (48, 160, 151, 40)),
        Shares("ann-01", (20, 112, 166, 77)),
        Shares("ann-03", (2, 5, 9, 4)),
        Shares("ann-06", (0, 0, 0, 0), reason=say("no scores yet", "尚无评分")),
        Shares("ann-07", (0, 300, 0, 0)),
    ]
    return charts.shares(
        rows,
        Heading(
            "score-use",
            say("Use of the scores", "分数的使用"),
            say("Share of each score among all that a person gave.", "每人给出的各分数所占比例。"),
            say(
                "ann-05 gives the most 0 and 1; ann-07 gives nothing but 1.",
                "ann-05 给 0 分和 1 分最多；ann-07 只给 1 分。",
            ),
        ),
        levels=("0", "1", "2", "3"),
        legend=say("Score", "分数"),
        axis=say("Share of scores", "评分占比"),
        row_heading=say("Annotator", "评分员"),
        words=words,
    )


def weeks(values: list[float | None], say: Say, spread: float = 0.07, first: int = 31) -> list[Point]:
    return [
        Point(
            say(f"W{first + index}", f"第{first + index}周"),
            value,
            None if value is None else value - spread,
            None if value is None else value + spread,
            None if value is None else (18 if index == 1 else 140),
            reason="" if value is not None else say("nothing scored twice", "无重复评分"),
        )
        for index, value in enumerate(values)
    ]


def weekly(say: Say, words: Words) -> charts.Chart:
    values = [0.51, 0.54, 0.53, 0.58, None, 0.6, None, 0.64, 0.62, 0.65, 0.64, 0.66, 0.69]
    return charts.over_time(
        weeks(values, say),
        Heading(
            "weekly-alpha",
            say("Agreement over time", "一致性随时间的变化"),
            say(
                "Weekly alpha with its 95% interval. Hollow: too few.",
                "每周 α 及其 95% 区间。空心：数量过少。",
            ),
            say(
                "Alpha rose from 0.51 in week 31 to 0.69 in week 43.",
                "α 从第 31 周的 0.51 升至第 43 周的 0.69。",
            ),
        ),
        axis=say("Alpha, all genres", "α，全部体裁"),
        time_axis=say("Week", "周"),
        time_heading=say("Week", "周"),
        value_heading=say("Alpha", "α"),
        lines=[Line(0.667, say("acceptable 0.667", "可接受 0.667"))],
        words=words,
    )


def drift(say: Say, words: Words) -> charts.Chart:
    panels = [
        Panel(f"ann-{index:02}", weeks([base, base + 0.1, None, base - 0.05, base + step], say, 0.15))
        for index, (base, step) in enumerate([(-0.4, -0.2), (0.1, 0), (0.2, 0.3), (0, 0), (-0.1, 0.1)])
    ]
    panels.append(
        Panel(say("a-very-long-name-of-a-person", "名字非常长的一位评分员同事"), weeks([None] * 5, say))
    )
    return charts.small_multiples(
        panels,
        Heading(
            "drift",
            say("Drift", "漂移"),
            say("Severity by week, with its 95% interval.", "每周严格程度及其 95% 区间。"),
            say(
                "ann-00 has become more severe, ann-02 more lenient.",
                "ann-00 变得更严格，ann-02 变得更宽松。",
            ),
        ),
        axis=say("Severity, in points", "严格程度（分）"),
        panel_heading=say("Annotator", "评分员"),
        time_heading=say("Week", "周"),
        value_heading=say("Severity", "严格程度"),
        lines=[Line(0, "0")],
        words=words,
    )


def burn_down(say: Say, words: Words) -> charts.Chart:
    past = [
        Point(say(f"{day} Nov", f"11月{day}日"), 2000 - 130 * index)
        for index, day in enumerate(range(3, 24, 4))
    ]
    onward = [
        Point(
            say(f"{day} Dec", f"12月{day}日"),
            max(1350 - 130 * (index + 1), 0),
            max(1350 - 170 * (index + 1), 0),
            1350 - 80 * (index + 1),
        )
        for index, day in enumerate(range(1, 40, 4))
    ]
    return charts.burn_down(
        past,
        onward,
        Heading(
            "burn-down",
            say("Scores still to come", "剩余评分"),
            say(
                "So far, and at the pace of the last two weeks.", "截至目前的进度，以及按最近两周速度的预测。"
            ),
            say(
                "1,350 of 2,000 are left; at this pace they are done on 14 December.",
                "2,000 份中尚余 1,350 份；按目前速度将于 12 月 14 日完成。",
            ),
        ),
        target=Line(0, say("done", "完成")),
        axis=say("Scores left", "剩余评分"),
        time_axis=say("Day", "日期"),
        time_heading=say("Day", "日期"),
        value_heading=say("Left", "剩余"),
        words=words,
    )


def coverage(say: Say, words: Words) -> charts.Chart:
    rows = [
        Bar(say("Speech", "演讲稿"), 412, 400),
        Bar(say("Argumentative essay", "议论文"), 96, 400),
        Bar(say("Short story", "短篇小说"), 0, 400),
        Bar(say("Diary", "日记"), None, None, reason=say("no quota is set", "未设配额")),
    ]
    return charts.bars(
        rows,
        Heading(
            "coverage",
            say("Pairs by genre", "各体裁的对"),
            say("Accepted pairs against the quota.", "已接受的对与配额。"),
            say("Speech has its quota; short stories have none yet.", "演讲稿已达配额；短篇小说尚无。"),
        ),
        axis=say("Accepted pairs", "已接受的对"),
        row_heading=say("Genre", "体裁"),
        value_heading=say("Accepted", "已接受"),
        of_heading=say("Quota", "配额"),
        words=words,
    )


def throughput(say: Say, words: Words) -> charts.Chart:
    rows = [
        Bar(say(f"W{31 + index}", f"第{31 + index}周"), value)
        for index, value in enumerate([120, 1340, 980, 0, 1105])
    ]
    return charts.bars(
        rows,
        Heading(
            "throughput",
            say("Scores a week", "每周评分数"),
            say("All rounds together.", "所有轮次合计。"),
            say("Most were given in week 32, 1,340.", "第 32 周最多，1,340 份。"),
        ),
        axis=say("Scores", "评分数"),
        row_heading=say("Week", "周"),
        value_heading=say("Scores", "评分数"),
        words=words,
    )


def without_data(say: Say, words: Words) -> list[charts.Chart]:
    def heading(key: str) -> Heading:
        nothing = say(
            "Agreement appears once two people have scored the same text.",
            "两人对同一文本评分后才会显示一致性。",
        )
        return Heading(key, say("Agreement by language", "各语言的一致性"), say("Alpha", "α"), nothing)

    named = {"row_heading": say("Language", "语言"), "value_heading": say("Alpha", "α"), "words": words}
    times = {
        "time_heading": say("Week", "周"),
        "time_axis": say("Week", "周"),
        "value_heading": say("Alpha", "α"),
        "words": words,
    }
    return [
        charts.dots([], heading("empty-dots"), axis=say("Alpha", "α"), domain=(0, 1), **named),
        charts.over_time([], heading("empty-time"), axis=say("Alpha", "α"), domain=(0, 1), **times),
    ]


def sample_heat_maps(language: str = "en") -> list[heat_maps.HeatMap]:
    say, words = (english, chinese)[language != "en"], WORDS[language]
    names = [f"ann-{index:02}" for index in range(1, 8)]
    found = {
        (one, other): Measured(round(0.1 + 0.13 * ((one * other + one) % 7), 2), 60 + one)
        for one in range(7)
        for other in range(one + 1, 7)
    }
    found[0, 1] = Measured(None, 1, say("both gave one score only", "两人均只给了一种分数"))
    found[0, 2] = Measured(0.91, 12)
    found[1, 2] = Measured(-0.08, 200)
    del found[3, 4]
    return [
        heat_maps.pairs(
            names,
            found,
            Heading(
                "kappa",
                say("Agreement between annotators", "评分员之间的一致性"),
                say("Quadratic weighted kappa on shared texts.", "共同文本上的二次加权 κ。"),
                say("ann-02 and ann-03 agree least.", "ann-02 与 ann-03 一致性最低。"),
            ),
            row_heading=say("Annotator", "评分员"),
            other_heading=say("Other", "另一位"),
            value_heading="κ",
            short=[name[-2:] for name in names],
            words=words,
        ),
        heat_maps.confusion(
            ((41, 9, 1, 0), (6, 72, 18, 2), (1, 15, 96, 14), (0, 0, 0, 0)),
            Heading(
                "gold",
                say("Against gold", "与金标准对照"),
                say(
                    "Rows: gold score. Each cell: count and share of its row.",
                    "行：金标准分数。每格：次数及其在行内的占比。",
                ),
                say("Most agree.", "多数一致。"),
            ),
            levels=("0", "1", "2", "3"),
            corner=say("Gold ↓ / given →", "金标准 ↓ / 所给 →"),
            row_heading=say("Gold", "金标准"),
            words=words,
        ),
        heat_maps.confusions(
            {
                "ann-01": ((9, 1, 0, 0), (2, 12, 3, 0), (0, 2, 20, 1), (0, 0, 0, 0)),
                "ann-02": ((2, 1, 0, 0), (0, 3, 0, 0), (0, 0, 4, 1), (0, 0, 0, 1)),
            },
            Heading(
                "gold-of-each",
                say("Against gold, by annotator", "各评分员与金标准对照"),
                say("Each column: gold → given.", "每列：金标准 → 所给。"),
                say("ann-01 agrees most.", "ann-01 最一致。"),
            ),
            levels=("0", "1", "2", "3"),
            corner=say("Annotator", "评分员"),
            words=words,
        ),
    ]
