"""Checks that the entries of an audit log lead, without a gap, to a head: check-chain.py log.jsonl 0:1234:ab…"""
import hashlib, json, sys

path, heads = sys.argv[1], {}
for part in sys.argv[2].split(","):
    shard, seq, link = part.split(":")
    heads[int(shard)] = (int(seq), link)

last, reached, faults = {}, set(), []
for line in open(path, encoding="utf-8"):
    try:
        entry = json.loads(line)
        shard, seq, link = entry["shard"], entry["seq"], entry["link"]
    except (ValueError, TypeError, KeyError):
        continue  # another line of the log
    number, before = last.get(shard, (0, "-") if seq == 1 else (seq - 1, None))
    if seq <= number:
        continue  # written twice
    if seq > number + 1:
        faults.append(f"shard {shard}: {number + 1} to {seq - 1} are missing")
    elif before is not None:
        facts = line[line.index(',"facts":') + 9 : line.rindex("}")]
        said = [entry["action"], entry["record"] or "", entry["actor"], facts, entry["mac"]]
        text = "\n".join([before, f"{entry['time']}-{seq}", *said])
        sha = hashlib.sha1 if len(link) == 40 else hashlib.sha256
        if sha(text.encode()).hexdigest() != link:
            faults.append(f"shard {shard}: {seq} does not follow the entry before it")
    if heads.get(shard) == (seq, link):
        reached.add(shard)
    last[shard] = (seq, link)

faults += [f"shard {shard}: the head is not in this log" for shard in heads if shard not in reached]
print("\n".join(faults) or "The entries lead to this head.")
sys.exit(1 if faults else 0)
