"""The parts of scripts/mutant."""
