"""How numbers are written in Chinese: by thousands, as Chinese papers and programs do; Django's own group nothing."""

THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
