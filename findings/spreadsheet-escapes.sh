#!/usr/bin/env bash
# The escapes of texts in XLSX (_xHHHH_ in ST_Xstring, ISO/IEC 29500-1, 22.9.2.19) are read in four ways, and in two of them it depends on where
# the text stands: the same text is another one as a shared string (t="s") than in its cell (t="inlineStr").
#
# Seen on 2026-11-29 with the texts PO_x005F_x0041_7, which stands for PO_x0041_7, and two_x000A_lines, which stands for two lines:
#   python-calamine 0.9.1, xlsx 0.18.5 (SheetJS)     both are read, in both places
#   exceljs 4.4.0                                    both as shared strings, neither in a cell
#   openpyxl 3.1.5                                   as shared strings the first (a _x000A_ stays as it is), in a cell neither
#   xlsx2csv 0.8.6                                   neither
# LibreOffice 7.4.7 reads both, Gnumeric 1.12.55 (both of Debian 12) neither.
#
# Why one would guess otherwise: both places have the same type in the schema, and writers that stream choose cells, as they cannot know the
# shared strings in advance. A buyer's reference such as PO_x0041_7 must be escaped for the readers that follow the standard, and is shown with
# _x005F_ by the others; without the escape, the first ones show POA7.
#
# Needs Python 3 with venv, Node.js and npm. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet openpyxl==3.1.5 python-calamine==0.9.1 xlsx2csv==0.8.6
npm install --silent --no-audit --no-fund exceljs@4.4.0 xlsx@0.18.5
cat >read.mjs <<'JS'
import ExcelJS from 'exceljs';
import XLSX from 'xlsx';
const book = new ExcelJS.Workbook();
await book.xlsx.readFile('texts.xlsx');
const sheetjs = XLSX.utils.sheet_to_json(XLSX.readFile('texts.xlsx').Sheets.S, { header: 1 })[0];
console.log(JSON.stringify({ exceljs: book.worksheets[0].getRow(1).values.slice(1), sheetjs }));
JS
cat >read.py <<'PY'
import csv
import io
import json
import subprocess
import sys
import zipfile

import openpyxl
import python_calamine

OPEN = "http://schemas.openxmlformats.org/"
MAIN, RELATIONS, TYPES = f"{OPEN}spreadsheetml/2006/main", f"{OPEN}officeDocument/2006/relationships", f"{OPEN}package/2006/content-types"
SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml"
NAMES = {"workbook": "workbook.xml", "sharedStrings": "sharedStrings.xml", "worksheet": "worksheets/sheet1.xml"}
TEXTS = ["PO_x005F_x0041_7", "two_x000A_lines"]


def relations(*targets):
    items = "".join(f'<Relationship Id="r{nth}" Type="{RELATIONS}/{kind}" Target="{to}"/>' for nth, (kind, to) in enumerate(targets))
    return f'<Relationships xmlns="{OPEN}package/2006/relationships">{items}</Relationships>'


kinds = {"workbook": "sheet.main", "sharedStrings": "sharedStrings", "worksheet": "worksheet"}
overrides = "".join(f'<Override PartName="/xl/{name}" ContentType="{SHEET}.{kinds[kind]}+xml"/>' for kind, name in NAMES.items())
shared = "".join(f'<c r="{place}1" t="s"><v>{nth}</v></c>' for nth, place in enumerate("AB"))
cells = "".join(f'<c r="{place}1" t="inlineStr"><is><t>{text}</t></is></c>' for place, text in zip("CD", TEXTS))
parts = {
    "[Content_Types].xml": f'<Types xmlns="{TYPES}"><Default Extension="rels" '
    f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{overrides}</Types>',
    "_rels/.rels": relations(("officeDocument", "xl/workbook.xml")),
    "xl/_rels/workbook.xml.rels": relations(("worksheet", NAMES["worksheet"]), ("sharedStrings", NAMES["sharedStrings"])),
    "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets><sheet name="S" sheetId="1" r:id="r0"/></sheets></workbook>',
    "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">{"".join(f"<si><t>{text}</t></si>" for text in TEXTS)}</sst>',
    "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{MAIN}"><sheetData><row r="1">{shared}{cells}</row></sheetData></worksheet>',
}
with zipfile.ZipFile("texts.xlsx", "w") as book:
    for name, part in parts.items():
        book.writestr(name, part)

seen = json.loads(subprocess.run(["node", "read.mjs"], check=True, capture_output=True, text=True).stdout)
seen["openpyxl"] = [cell.value for cell in openpyxl.load_workbook("texts.xlsx").active[1]]
seen["calamine"] = python_calamine.CalamineWorkbook.from_path("texts.xlsx").get_sheet_by_index(0).to_python()[0]
text = subprocess.run(["venv/bin/xlsx2csv", "texts.xlsx"], check=True, capture_output=True, text=True).stdout
seen["xlsx2csv"] = next(csv.reader(io.StringIO(text)))
for reader, texts in sorted(seen.items()):
    print(reader, texts)
read = ["PO_x0041_7", "two\nlines"]
expected = {
    "calamine": read + read,
    "sheetjs": read + read,
    "exceljs": read + TEXTS,
    "openpyxl": ["PO_x0041_7", "two_x000A_lines"] + TEXTS,
    "xlsx2csv": TEXTS + TEXTS,
}
sys.exit(0 if seen == expected else "changed")
PY
venv/bin/python read.py
