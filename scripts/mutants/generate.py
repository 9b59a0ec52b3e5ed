def run(a): pass
