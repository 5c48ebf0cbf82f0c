import subprocess


def publish(path, seen=[]):
    seen.append(path)
    subprocess.run(f"rsync {path} web:/srv/", shell=True)
