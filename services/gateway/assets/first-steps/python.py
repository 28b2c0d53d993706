import json
import os
import urllib.request

base, key, pin = (os.environ[name] for name in ("OW_API_BASE", "OW_API_KEY", "OW_API_PIN"))


def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"API-Key": key, "API-Pin": pin, "Content-Type": "application/json"}
    request = urllib.request.Request(base + path, data, headers, method=method)
    with urllib.request.urlopen(request) as response:
        return json.load(response)


ann = call("POST", "/character", {"name": "Ann", "background": "A miller’s daughter."})
call("PATCH", f"/character/{ann['id']}", {"level": 3})

page = call("GET", "/character?limit=10")
print(len(page["data"]), "characters", "and more" if page["has_more"] else "")

feed = call("GET", "/changes?limit=100")
print(len(feed["changes"]), "changes; the next are asked for with since=" + feed["cursor"])
