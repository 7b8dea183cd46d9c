print("swoop")
