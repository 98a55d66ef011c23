"""What stands in a release beside its pairs: copies for the usual loaders, and what describes and proves it."""
