"""What paper.py holds `manage.py curate` against: python -m tests.bench.paper_pandas FOLDER OUT PAIRS.

Reads responses.parquet and scores.parquet, applies the rules of the recipe with at most PAIRS of a prompt, and writes
pairs, judgements, rejected candidates and a manifest of their SHA-256. Priorities are hashed by the function that ours
uses; the rest is what pandas has.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from curation.domain import priority

BUCKETS = 100
SEED = "plumb-1"
WORD = r"[^\W_]+(?:['’-][^\W_]+)*"


def main(folder: Path, out: Path, most: int) -> None:
    responses = pd.read_parquet(folder / "responses.parquet")
    scores = pd.read_parquet(folder / "scores.parquet")
    texts = responses["text"].str
    responses["length"] = texts.count(WORD)
    responses["key"] = pd.factorize(texts.normalize("NFC").str.split().str.join(" "))[0]
    responses["hash"] = priority.hashes(SEED, responses["id"].tolist())
    candidates = with_reasons(responses, with_votes(scores, candidates_of(responses)))
    standing = candidates[candidates["reason"] == ""].copy()
    standing["priority"] = priority.priorities(
        standing["hash_chosen"].to_numpy(), standing["hash_rejected"].to_numpy()
    )
    standing = standing.sort_values(["priority", "chosen", "rejected"])
    capped = standing.groupby("prompt_id").head(most)
    kept = mirrored(capped)
    candidates.loc[standing.index.difference(capped.index), "reason"] = "cap_prompt"
    candidates.loc[capped.index.difference(kept.index), "reason"] = "length_symmetry"
    write(out, pairs_of(responses, kept), scores, responses, candidates)


def candidates_of(responses: pd.DataFrame) -> pd.DataFrame:
    short = responses[["id", "prompt_id", "length", "key", "hash"]]
    both = short.merge(short, on="prompt_id", suffixes=("_a", "_b"))
    return both[both["id_a"] < both["id_b"]].reset_index(drop=True)


def with_votes(scores: pd.DataFrame, candidates: pd.DataFrame) -> pd.DataFrame:
    """Over the annotators who scored both: how many there are, who prefers which, and the sum of differences."""
    one = candidates[["id_a", "id_b"]].merge(scores, left_on="id_a", right_on="response_id")
    both = one.merge(
        scores, left_on=["id_b", "annotator"], right_on=["response_id", "annotator"], suffixes=("_a", "_b")
    )
    difference = both["score_a"] - both["score_b"]
    both = both.assign(gap=difference, more=difference > 0, fewer=difference < 0)
    found = both.groupby(["id_a", "id_b"]).agg(
        k=("gap", "size"), gap=("gap", "sum"), more=("more", "sum"), fewer=("fewer", "sum")
    )
    return candidates.merge(found, left_on=["id_a", "id_b"], right_index=True, how="left").fillna(
        {"k": 0, "gap": 0, "more": 0, "fewer": 0}
    )


def with_reasons(responses: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    first = table["gap"] > 0
    for name in ("id", "length", "hash"):
        table[f"{name}_chosen"] = table[f"{name}_a"].where(first, table[f"{name}_b"])
        table[f"{name}_rejected"] = table[f"{name}_b"].where(first, table[f"{name}_a"])
    table = table.rename(columns={"id_chosen": "chosen", "id_rejected": "rejected"})
    table["votes_for"] = table["more"].where(first, table["fewer"]).astype(int)
    table["votes_against"] = table["fewer"].where(first, table["more"]).astype(int)
    failed = {
        "identical_text": table["key_a"] == table["key_b"],
        "insufficient_overlap": table["k"] < 2,
        "no_gap": table["gap"] == 0,
        "direction": table["votes_for"] < np.maximum(2, np.ceil(2 * table["k"] / 3)),
        "gap": table["gap"].abs() < table["k"],
    }
    table["reason"] = np.select(list(failed.values()), list(failed), "")
    return table


def mirrored(pairs: pd.DataFrame) -> pd.DataFrame:
    """As many longer as shorter ones in each bucket; `pairs` are in the order of their priorities."""
    by = pairs["length_chosen"] - pairs["length_rejected"]
    sided = pairs.assign(side=np.sign(by), bucket=-(-by.abs() * (BUCKETS // 2) // max(by.abs().max(), 1)))
    sizes = sided[sided["side"] != 0].groupby(["bucket", "side"]).size().unstack(fill_value=0)
    least = sizes.reindex(columns=[-1, 1], fill_value=0).min(axis=1)
    turn = sided.groupby(["bucket", "side"]).cumcount()
    return pairs[(sided["side"] == 0) | (turn < sided["bucket"].map(least))]


def pairs_of(responses: pd.DataFrame, kept: pd.DataFrame) -> pd.DataFrame:
    texts = responses.set_index("id")[["prompt", "text"]]
    pairs = kept.assign(
        id=kept["prompt_id"] + ":" + kept["chosen"] + ":" + kept["rejected"],
        prompt=kept["chosen"].map(texts["prompt"]),
        chosen_text=kept["chosen"].map(texts["text"]),
        rejected_text=kept["rejected"].map(texts["text"]),
        gap=kept["gap"].abs() / kept["k"],
        k=kept["k"].astype(int),
    ).sort_values("id")
    names = ("id", "prompt_id", "chosen", "rejected", "votes_for", "votes_against", "k", "gap")
    names = (*names, "length_chosen", "length_rejected", "prompt", "chosen_text", "rejected_text")
    return pairs[list(names)]


def write(
    out: Path, pairs: pd.DataFrame, scores: pd.DataFrame, responses: pd.DataFrame, candidates: pd.DataFrame
) -> None:
    out.mkdir(exist_ok=True)
    names = {name: f"annotator-{place:02}" for place, name in enumerate(sorted(set(scores["annotator"])), 1)}
    judgements = scores.merge(responses[["id", "prompt_id"]], left_on="response_id", right_on="id")
    judgements = judgements.assign(annotator=judgements["annotator"].map(names), at="")
    judgements = judgements.sort_values(["response_id", "annotator"])
    rejected = candidates[candidates["reason"] != ""].sort_values(["id_a", "id_b"])
    files = {
        "pairs.jsonl": pairs,
        "judgements.jsonl": judgements[["response_id", "prompt_id", "annotator", "score", "at"]],
        "rejected.jsonl": rejected[["id_a", "id_b", "reason"]].rename(columns={"id_a": "a", "id_b": "b"}),
    }
    manifest = {}
    for name, table in files.items():
        table.to_json(out / name, orient="records", lines=True, force_ascii=False)
        with (out / name).open("rb") as file:
            manifest[name] = hashlib.file_digest(file, "sha256").hexdigest()
    (out / "manifest.json").write_text(json.dumps(manifest, indent=2))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
