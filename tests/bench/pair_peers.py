"""Pairs as other libraries make and prune them, plainly written: a join of the prompt with itself, and a filter."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl

SEATS = ("s0", "s1", "s2")  # the scores of a panel, a column for each of its three
PRUNED = """
with sided as (
    select chosen, rejected, priority, sign(difference) as side,
        (abs(difference) * {half} + longest - 1) // longest as bucket
    from pairs, (select max(abs(difference)) as longest from pairs)
), sizes as (
    select bucket, least(count(*) filter (side > 0), count(*) filter (side < 0)) as size from sided group by bucket
), turned as (
    select *, row_number() over (partition by bucket, side order by priority, chosen, rejected) as turn from sided
)
select chosen, rejected from turned join sizes using (bucket) where side = 0 or turn <= size
"""


def joined_by_pandas(table: pd.DataFrame) -> pd.DataFrame:
    both = table.merge(table, on="prompt", suffixes=("", "_other"))
    votes = sum((both[seat] > both[f"{seat}_other"]).astype("int8") for seat in SEATS)
    gap = sum(both[seat] - both[f"{seat}_other"] for seat in SEATS)
    return both.loc[(votes >= 2) & (gap >= 3), ["rank", "rank_other"]]


def joined_by_polars(table: pl.LazyFrame, many: int) -> pl.LazyFrame:
    """With a number for each pair, as pair_samples.numbered has it."""
    votes = pl.sum_horizontal((pl.col(seat) > pl.col(f"{seat}_right")).cast(pl.Int8) for seat in SEATS)
    gap = pl.sum_horizontal(pl.col(seat) - pl.col(f"{seat}_right") for seat in SEATS)
    pairs = table.join(table, on="prompt").filter((votes >= 2) & (gap >= 3))
    key = pl.col("rank").cast(pl.Int64) * many + pl.col("rank_right")
    return pairs.select("rank", "rank_right", key=key)


def pruned_by_pandas(pairs: pd.DataFrame, buckets: int) -> pd.DataFrame:
    """`pairs` have chosen, rejected, difference and priority. The usual recipe, but mirrored and in whole numbers."""
    longest = pairs["difference"].abs().max()
    bucket = -(-pairs["difference"].abs() * (buckets // 2) // longest)
    sided = pairs.assign(side=np.sign(pairs["difference"]), bucket=bucket)
    sizes = sided[sided["side"] != 0].groupby(["bucket", "side"]).size().unstack(fill_value=0).min(axis=1)
    sided["turn"] = sided.sort_values("priority").groupby(["bucket", "side"]).cumcount()
    return pairs[(sided["side"] == 0) | (sided["turn"] < sided["bucket"].map(sizes))]


def pruned_by_duckdb(pairs: pd.DataFrame, buckets: int) -> dict[str, np.ndarray]:
    with duckdb.connect() as connection:
        connection.execute("set threads = 2")
        connection.register("pairs", pairs)
        return connection.execute(PRUNED.format(half=buckets // 2)).fetchnumpy()
