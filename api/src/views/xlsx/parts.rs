//! The parts of a workbook, as XML.

use std::fmt::Write;

use super::cell::{MOST_DIGITS, Place, escape};

pub const SHEET: &str = "xl/worksheets/sheet1.xml";

const BEGIN: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

/// The longest name of a sheet, in letters.
const LONGEST_NAME: usize = 31;

const TYPES: &str = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>"#;

const RELATIONS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;

const WORKBOOK_RELATIONS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>"#;

/// The parts beside the sheet, with their names.
pub fn beside(title: &str) -> [(&'static str, String); 5] {
    let part = |xml: &str| format!("{BEGIN}{xml}");
    [
        ("[Content_Types].xml", part(TYPES)),
        ("_rels/.rels", part(RELATIONS)),
        ("xl/workbook.xml", part(&workbook(title))),
        ("xl/_rels/workbook.xml.rels", part(WORKBOOK_RELATIONS)),
        ("xl/styles.xml", part(&styles())),
    ]
}

fn workbook(title: &str) -> String {
    let mut name = String::new();
    let allowed = |letter: &char| !['[', ']', ':', '*', '?', '/', '\\', '\''].contains(letter);
    escape(&mut name, &title.chars().filter(allowed).take(LONGEST_NAME).collect::<String>());
    format!(
        r#"<workbook xmlns="{MAIN}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="{name}" sheetId="1" r:id="rId1"/></sheets></workbook>"#
    )
}

/// The formats that [`super::cell::Style`] names: plain, bold, a day, a time, then amounts and sums by their digits. Days and
/// times are written as the reader's program writes them (formats 14 and 22).
fn styles() -> String {
    let mut formats = String::new();
    let mut cells = String::from(
        r#"<xf xfId="0"/><xf xfId="0" fontId="1" applyFont="1"/><xf xfId="0" numFmtId="14" applyNumberFormat="1"/><xf xfId="0" numFmtId="22" applyNumberFormat="1"/>"#,
    );
    for digits in 0..=MOST_DIGITS {
        let point = if digits == 0 { "" } else { "." };
        let zeros = "0".repeat(digits as usize);
        let _ =
            write!(formats, r##"<numFmt numFmtId="{}" formatCode="#,##0{point}{zeros}"/>"##, 164 + digits);
    }
    for font in 0..=1 {
        for digits in 0..=MOST_DIGITS {
            let id = 164 + digits;
            let _ = write!(
                cells,
                r#"<xf xfId="0" fontId="{font}" applyFont="1" numFmtId="{id}" applyNumberFormat="1"/>"#
            );
        }
    }
    format!(
        r#"<styleSheet xmlns="{MAIN}"><numFmts count="{}">{formats}</numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="{}">{cells}</cellXfs></styleSheet>"#,
        MOST_DIGITS + 1,
        4 + 2 * (MOST_DIGITS + 1),
    )
}

/// A sheet until its first row, which stays in sight when the others are scrolled.
pub fn sheet_until_rows(is_right_to_left: bool, widths: impl Iterator<Item = u32>) -> String {
    let direction = if is_right_to_left { r#" rightToLeft="1""# } else { "" };
    let mut xml = format!(
        r#"{BEGIN}<worksheet xmlns="{MAIN}"><sheetViews><sheetView workbookViewId="0"{direction}><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>"#
    );
    for (column, width) in (1..).zip(widths) {
        let _ = write!(xml, r#"<col min="{column}" max="{column}" width="{width}" customWidth="1"/>"#);
    }
    xml.push_str("</cols><sheetData>");
    xml
}

/// A sheet after its rows, with a filter over those until `last`.
pub fn sheet_after_rows(last: Place) -> String {
    format!(r#"</sheetData><autoFilter ref="A1:{last}"/></worksheet>"#)
}
