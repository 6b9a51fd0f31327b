#!/usr/bin/env bash
# Trajectories as HDF5 and MAT files: every number equals that of the CSV file to the last bit; the files contain names, units, events, the
# model's text and the command, also after a failed run; a killed run leaves a file that can be read; a full disk gives an error message.
# HDF5 files are read by h5dump of the HDF Group, MAT files by the Python code below, which follows the published description of the format.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

cat >look.py <<'END'
"""look.py equal NAME | failed FILE | killed FILE KILLS"""
import csv, glob, os, random, re, struct, subprocess, sys, time
import xml.etree.ElementTree as xml

CAMBER = os.environ["CAMBER"]
GROUPS = ("q", "v", "lambda", "outputs", "residuals")


def expect(holds, *words):
    if not holds:
        sys.exit(" ".join(map(str, ("look.py:",) + words)))


def bits(numbers):
    return [struct.pack("<d", x) for x in numbers]


def read_mat(path):
    """name -> list of columns, of texts list of rows"""
    found = {}
    with open(path, "rb") as file:
        while head := file.read(20):
            kind, rows, columns, imaginary, length = struct.unpack("<5i", head)
            name = file.read(length)[:-1].decode()
            expect(kind in (0, 1) and imaginary == 0, path, name, kind)
            data = file.read(8 * rows * columns)
            expect(len(data) == 8 * rows * columns, path, name, "is cut off")
            numbers = struct.unpack(f"<{rows * columns}d", data)
            if kind:
                found[name] = [bytes(int(numbers[j * rows + i]) for j in range(columns)).decode().rstrip()
                               for i in range(rows)]
            else:
                found[name] = [numbers[j * rows:(j + 1) * rows] for j in range(columns)]
    return found


def dump(path, *words):
    return subprocess.run(["h5dump", *words, path], check=True, capture_output=True, text=True).stdout


def attributes_of(node):
    kind = "{http://hdfgroup.org/HDF5/XML/schema/HDF5-File.xsd}"
    return {a.get("Name"): a.find(f".//{kind}DataFromFile").text.strip().strip('"') for a in node.findall(kind + "Attribute")}


def read_hdf5(path):
    """attributes of the file, and path -> (attributes, bytes) of the sets of numbers"""
    root = xml.fromstring(dump(path, "-x", "-A"))[0]
    sets = {}
    for node in root.iter():
        if node.tag.endswith("}Dataset"):
            name = node.get("H5Path")
            if os.path.exists("set.bin"):
                os.remove("set.bin")
            dump(path, "-d", name, "-b", "LE", "-o", "set.bin")
            with open("set.bin", "rb") as file:
                sets[name] = attributes_of(node), file.read()
    return attributes_of(root), sets


def numbers_of(data):
    return struct.unpack(f"<{len(data) // 8}d", data)


def read_columns(path):
    """names and columns in the order of the CSV file"""
    if path.endswith(".h5"):
        columns = [s for s in read_hdf5(path)[1].values() if "column" in s[0]]
        columns.sort(key=lambda s: int(s[0]["column"]))
        return [about["name"] for about, _ in columns], [numbers_of(data) for _, data in columns]
    found = read_mat(path)
    there = [group for group in GROUPS if group in found]
    names = ["t"] + [name for group in there for name in found[group + "_names"]]
    return names, found["t"] + [column for group in there for column in found[group]]


def equal(name):
    with open(name + ".csv", newline="") as file:
        header, *lines = list(csv.reader(file))
    columns = [[float(line[c]) for line in lines] for c in range(len(header))]
    expect(len(lines) > 100, "only", len(lines), "lines")
    for ending in (".h5", ".mat"):
        names, read = read_columns(name + ending)
        expect(names == header, ending, names, header)
        for title, one, other in zip(names, columns, read):
            expect(bits(one) == bits(other), ending, title, "differs")
    about, sets = read_hdf5(name + ".h5")
    expect(about["status"] == "ok" and about["model"] == "fivelink" and float(about["rtol"]) == 1e-6, about)
    expect(about["command"].startswith("camber run fivelink --set stair=1"), about)
    model = os.path.join(os.environ["SOURCE_DIR"], "models", "fivelink.yaml")
    text = dump(name + ".h5", "-r", "-d", "/model")
    expect(f"STRSIZE {os.path.getsize(model)};" in text and "title: Five-link" in text, text[:400])
    expect(sets["/outputs/camber"][0]["unit"] == "deg" and sets["/t"][0]["unit"] == "s", "units")
    times, text = numbers_of(sets["/events/t"][1]), dump(name + ".h5", "-w", "0", "-d", "/events/name")
    expect("CSET H5T_CSET_ASCII" in text, "Octave reads no texts that are said to be in UTF-8", text[:400])
    names = re.findall(r'"([^"]*?)(?:\\000)*"', text.split("DATA {")[1])
    directions = struct.unpack(f"<{len(times)}i", sets["/events/direction"][1])
    mat = read_mat(name + ".mat")
    expect(len(times) > 3 and mat["events_t"][0] == times and mat["events_names"] == names, names)
    expect("tyre.contact" in names and set(directions) == {-1, 1}, names, directions)
    expect(mat["events_direction"][0] == directions, "directions in MAT")
    expect(mat["outputs_units"][mat["outputs_names"].index("camber")] == "deg", "units in MAT")


def failed(path):
    about, sets = read_hdf5(path)
    expect(about["status"] != "ok" and "t = " in about["message"], about)
    expect(len(sets["/t"][1]) > 24, "nothing was kept")


def has(path, size):
    return os.path.exists(path) and os.path.getsize(path) > size


def killed(path, kills):
    """Every second run is killed only when many rows are in its file, however busy the machine is."""
    chance, rows, partial = random.Random(18), [], path + ".partial"
    for k in range(int(kills)):
        for there in glob.glob(path + "*"):
            os.remove(there)
        process = subprocess.Popen([CAMBER] + "run pendulum-chain --set N=25 --set omega=2 --rtol 1e-10 --every 1e-4 --t-end 1e6".split()
                                   + ["--out", path], stdout=subprocess.DEVNULL)
        while k % 2 == 1 and process.poll() is None and not has(partial, 100 * 53 * 8):
            time.sleep(0.05)
        time.sleep(chance.uniform(0.05, 1.5))
        process.kill()
        process.wait()
        if not has(partial, 0):
            rows.append(0)  # killed before anything was written
            continue
        plain = partial.replace(".partial", "")
        os.rename(partial, plain)
        names, columns = read_columns(plain)
        expect(len(names) == 53 and len(set(map(len, columns))) == 1, names)
        times = list(columns[0])
        expect(times == sorted(times) and all(abs(t - 1e-4 * i) < 1e-9 for i, t in enumerate(times)), "times")
        rows.append(len(times))
    print(f"rows that {kills} killed runs left in {path}:", *rows)
    expect(all(n > 50 for n in rows[1::2]), "too few rows:", rows)


globals()[sys.argv[1]](*sys.argv[2:])
END

for ending in csv h5 mat; do
  "$CAMBER" run fivelink --set stair=1 --record residuals --out "stair.$ending" >/dev/null
  check "written as $ending" [ $? -eq 0 ]
done
check "equal to the last bit" python3 look.py equal stair

# ---- texts of different lengths, the longest first or last
cat >names.yaml <<'END'
gravity: [0, 0, 0]
bodies: {m: {mass: 1, com: [0, 0, 0]}}
joints: {x: {type: prismatic, child: m, axis: x, rate: 1}}
parameters: {side: 1}
events: {short: {when: x > 0.5 + 0.4*side}, a_much_longer_name: {when: x > 0.5 - 0.3*side}, medium: {when: x > 0.5}}
END
for side in 1 -1; do
  "$CAMBER" run names.yaml --t-end 1 --set side=$side --out names.h5 >/dev/null
  order=$(h5dump -w 0 -d /events/name names.h5 | grep -o '"[a-z_][a-z_]*' | tail -n 3 | tr -d '"\n')
  check "names of events, side $side: $order" [ "$order" = "$([ $side = 1 ] && echo a_much_longer_namemediumshort || echo shortmediuma_much_longer_name)" ]
done

# ---- a run that fails keeps its results, and the file contains the status
cat >fails.yaml <<'END'
bodies: {b: {mass: 1, com: [0, 0, 0]}}
joints: {x: {type: prismatic, child: b, axis: x, start: 1, rate: -1}}
forces: {f: {type: load, on: {body: b, at: [0, 0, 0]}, force: ['-1/x^2', 0, 0]}}
END
"$CAMBER" run fails.yaml --t-end 5 --out fails.h5 >/dev/null 2>&1
check "a run that fails: exit code 1" [ $? -eq 1 ]
check "a run that fails: its file" python3 look.py failed fails.h5

# ---- killed
kills=${CAMBER_KILLS:-3}
check "killed, HDF5" python3 look.py killed run.h5 "$kills"
check "killed, MAT" python3 look.py killed run.mat "$kills"
rm -f run.*

# ---- a resumed run: the summary has the number of rows of its own file
"$CAMBER" run pendulum --t-end 2 --save half.state --save-at 1 --out whole.h5 >/dev/null
"$CAMBER" run pendulum --t-end 2 --resume half.state --out rest.csv >rest.txt
check "rows of a run that goes on" grep -q "trajectory   $(($(wc -l <rest.csv) - 1)) points in rest.csv" rest.txt

# ---- a disk that fills up, at once and later
for ending in h5 mat; do
  for blocks in 4 20; do
    (
      trap '' XFSZ
      ulimit -f $blocks -c 0
      exec "$CAMBER" run fivelink --every 0.0005 --out "full.$ending" >/dev/null 2>stderr
    )
    check "$ending, $blocks blocks: exit code 2" [ $? -eq 2 ]
  done
  rm -f full.*
  printf 'old\n' >"run.$ending"
  (
    trap '' XFSZ
    ulimit -f 60
    exec "$CAMBER" run pendulum --every 1e-3 --out "run.$ending" >/dev/null 2>stderr
  )
  check "$ending, file too large: exit code 2" [ $? -eq 2 ]
  check "$ending, file too large: message" grep -q "^camber: cannot write 'run.$ending': .*is in 'run.$ending.partial'" stderr
  check "$ending, file too large: older file" [ "$(cat "run.$ending")" = old ]
done

"$CAMBER" run pendulum --out run.txt >/dev/null 2>stderr
check "another ending: exit code 2" [ $? -eq 2 ]
check "another ending: message" grep -q "ends in .csv, .h5 or .mat" stderr

finish
