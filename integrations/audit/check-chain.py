"""Checks that the entries of an audit log lead, without a gap, to a head: check-chain.py log.jsonl 0:1234:ab…"""
import hashlib, json, sys

path, heads = sys.argv[1], {}
for part in sys.argv[2].split(","):
    shard, seq, link = part.split(":")
    heads[int(shard)] = (int(seq), link)

links, firsts, faults, others = {}, {}, [], 0
for line in open(path, encoding="utf-8"):
    try:
        entry = json.loads(line)
        shard, seq, link = entry["shard"], entry["seq"], entry["link"]
    except (ValueError, TypeError, KeyError):
        others += '"audit"' in line
        continue
    facts = line[line.index(',"facts":') + 9 : line.rindex("}")]
    said = [f"{entry['time']}-{seq}", entry["action"], entry["record"] or "", entry["actor"], facts, entry["mac"]]
    first, first_said = firsts.setdefault(shard, (seq, said))
    before = "-" if seq == 1 else links.get((shard, seq - 1))
    if links.setdefault((shard, seq), link) != link or (seq == first and said != first_said):
        faults.append(f"shard {shard}: there are two different entries {seq}")
    elif seq < max(first, 1) or (seq > first and before is None):
        faults.append(f"shard {shard}: what is before {max(seq, first)} is missing, or comes later")
    elif before is not None:
        sha = hashlib.sha1 if len(link) == 40 else hashlib.sha256
        if sha("\n".join([before, *said]).encode()).hexdigest() != link:
            faults.append(f"shard {shard}: {seq} does not follow the entry before it")

faults += [f"shard {shard}: no head was given" for shard in firsts if shard not in heads]
notes = [f" Lines about the log that are not entries, and not checked: {others}."] if others else []
for shard, (seq, link) in heads.items():
    if seq > 0 and links.get((shard, seq)) != link:
        faults.append(f"shard {shard}: the head is not in this log")
    if firsts.get(shard, (1,))[0] > 1:
        notes.append(f" Nothing shows whether entry {firsts[shard][0]} of shard {shard}, the first here, was changed.")
    if (shard, seq + 1) in links:
        notes.append(f" Nothing shows whether what is after entry {seq} of shard {shard} was changed.")
print("\n".join(dict.fromkeys(faults)) or "The entries lead to this head." + "".join(notes))
sys.exit(1 if faults else 0)
