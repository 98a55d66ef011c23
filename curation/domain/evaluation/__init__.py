"""How well a model does on a release: predictions in, figures out. No framework, no database.

lines         the rows of a file of predictions, in which a number may be none (NaN)
predictions   the forms that predictions come in, and what is wrong with a file in itself
problems      what was missing, extra, repeated or no number, counted and listed
benchmark     the pairs and gold rankings of a release, as columns
answers       what predictions say of each pair, in each order in which its texts were shown
parts         all, genres, languages, and genres within languages
accuracy      how often they are right, with intervals, p values and what hangs on the position
spread        how far genres differ, and how far they would by sampling alone
beside        the human ceiling and what guesses by the surface get on the same pairs
orders        rankings against gold ones (WEval)
against       two models on the same release
report        all of it
"""
