//! Writes a document as PDF/A-3a and PDF/UA-1: tagged, so that it can be read aloud, with its fonts and its e-invoice inside.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use krilla::color::rgb;
use krilla::configure::{Accessibility, Archival, ConfigurationBuilder};
use krilla::destination::XyzDestination;
use krilla::geom::{PathBuilder, Point, Rect};
use krilla::metadata::{DateTime, Metadata};
use krilla::num::NormalizedF32;
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla::paint::{Fill, Stroke};
use krilla::surface::Surface;
use krilla::tagging::{
    Artifact, ArtifactType, ContentTag, Identifier, Node, SpanTag, TableHeaderScope, Tag, TagGroup, TagTree,
};
use krilla::text::{Font, GlyphId, KrillaGlyph};
use krilla::{Document, SerializeSettings};

use shared::qr::{Bar, Qr};

use super::factur_x::{self, InvalidPdf};
use super::fonts::Fonts;
use super::typesetter::{MARGIN, PAGE, Piece, Printed, RIGHT, Role, Typesetter};

/// Writes a document, with its e-invoice in the syntax CII if it has one.
///
/// # Errors
/// The result would be no valid PDF/A-3a or PDF/UA-1.
pub fn render(printed: &Printed, e_invoice: Option<&str>, fonts: &Fonts) -> Result<Vec<u8>, InvalidPdf> {
    let invalid = |error: &dyn std::fmt::Debug| InvalidPdf(format!("{error:?}"));
    let typesetter = Typesetter::typeset(printed, fonts);
    let configuration = ConfigurationBuilder::new()
        .with_archival_validator(Archival::A3_A)
        .with_accessibility_validator(Accessibility::UA1)
        .finish()
        .map_err(|error| invalid(&error))?;
    let mut document =
        Document::new_with(SerializeSettings { configuration, ..SerializeSettings::default() });
    let mut known = HashMap::new();
    let mut leaves: Vec<(Role, &str, Identifier)> = Vec::new();
    for number in 0..=typesetter.pieces.iter().map(|piece| piece.page).max().unwrap_or_default() {
        let settings = PageSettings::from_wh(PAGE.0, PAGE.1).unwrap_or_default();
        let mut page = document.start_page_with(settings);
        let mut surface = page.surface();
        for piece in typesetter.pieces.iter().filter(|piece| piece.page == number) {
            let identifier = surface.start_tagged(match piece.role {
                Role::Artifact(kind) => ContentTag::Artifact(Artifact::with_kind(kind)),
                _ => ContentTag::Span(SpanTag::empty()),
            });
            draw(&mut surface, piece, &mut known);
            surface.end_tagged();
            if !matches!(piece.role, Role::Artifact(_)) {
                leaves.push((piece.role, &piece.text, identifier));
            }
        }
        for ((page, at, side), (code, _)) in typesetter.codes.iter().zip(&printed.codes) {
            if *page == number {
                draw_code(&mut surface, code, *at, *side);
            }
        }
        for (_, y) in typesetter.rules.iter().filter(|(page, _)| *page == number) {
            rule(&mut surface, *y);
        }
        surface.finish();
        page.finish();
    }
    document.set_tag_tree(tree(leaves, &printed.language));
    let mut outline = Outline::new();
    outline
        .push_child(OutlineNode::new(printed.name.clone(), XyzDestination::new(0, Point::from_xy(0.0, 0.0))));
    document.set_outline(outline);
    let (year, month, day) = printed.date;
    let date = DateTime::new(year).month(month).day(day);
    if let Some(xml) = e_invoice {
        factur_x::embed(&mut document, xml, date)?;
    }
    document.set_metadata(
        Metadata::new()
            .title(printed.name.clone())
            .authors(printed.seller.first().cloned().into_iter().collect())
            .language(printed.language.clone())
            .creation_date(date),
    );
    let pdf = document.finish().map_err(|error| invalid(&error))?;
    if e_invoice.is_some() { factur_x::declare(pdf) } else { Ok(pdf) }
}

/// The order in which the texts are read.
fn tree(leaves: Vec<(Role, &str, Identifier)>, language: &str) -> TagTree {
    let mut tree = TagTree::new().with_lang(Some(language.to_owned()));
    let (mut head, mut body) = (TagGroup::new(Tag::THead), TagGroup::new(Tag::TBody));
    let mut table_at = None;
    let mut nodes: Vec<Node> = Vec::new();
    let mut row: Option<(usize, bool, TagGroup)> = None;
    let mut end_row = |row: &mut Option<(usize, bool, TagGroup)>| match row.take() {
        Some((_, true, cells)) => head.push(cells),
        Some((_, false, cells)) => body.push(cells),
        None => {}
    };
    for (role, text, identifier) in leaves {
        match role {
            Role::Cell(index, is_header) => {
                table_at.get_or_insert(nodes.len());
                if row.as_ref().is_none_or(|(current, ..)| *current != index) {
                    end_row(&mut row);
                    row = Some((index, is_header, TagGroup::new(Tag::TR)));
                }
                let cell = match is_header {
                    true => {
                        TagGroup::with_children(Tag::TH(TableHeaderScope::Column), vec![identifier.into()])
                    }
                    false => TagGroup::with_children(Tag::TD, vec![identifier.into()]),
                };
                if let Some((_, _, cells)) = &mut row {
                    cells.push(cell);
                }
            }
            Role::Heading(level) => {
                let heading = Tag::Hn(level, Some(text.to_owned()));
                nodes.push(TagGroup::with_children(heading, vec![identifier.into()]).into());
            }
            Role::Paragraph | Role::Artifact(_) => {
                nodes.push(TagGroup::with_children(Tag::P, vec![identifier.into()]).into());
            }
        }
    }
    end_row(&mut row);
    let table = TagGroup::with_children(Tag::Table, vec![head.into(), body.into()]);
    nodes.insert(table_at.unwrap_or(nodes.len()), table.into());
    nodes.into_iter().for_each(|node| tree.push(node));
    tree
}

fn colour(is_muted: bool) -> rgb::Color {
    // Both have a contrast of more than 7 to 1 on white.
    if is_muted { rgb::Color::new(75, 85, 99) } else { rgb::Color::new(17, 24, 39) }
}

fn rule(surface: &mut Surface<'_>, y: f32) {
    let mut path = PathBuilder::new();
    path.move_to(MARGIN, y);
    path.line_to(RIGHT, y);
    let Some(path) = path.finish() else { return };
    surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(ArtifactType::Other)));
    surface.set_fill(None);
    surface.set_stroke(Some(Stroke {
        paint: rgb::Color::new(156, 163, 175).into(),
        width: 0.7,
        ..Stroke::default()
    }));
    surface.draw_path(&path);
    surface.set_stroke(None);
    surface.end_tagged();
}

/// Draws a code. It is decorative for those who hear the document, which has in words what they need of it.
fn draw_code(surface: &mut Surface<'_>, code: &Qr, at: (f32, f32), side: f32) {
    surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(ArtifactType::Other)));
    let module = side / f32::from(code.side());
    let mut path = PathBuilder::new();
    for Bar { column, row, width } in code.bars() {
        let (left, top) = (at.0 + f32::from(column) * module, at.1 + f32::from(row) * module);
        let bar = Rect::from_xywh(left, top, width as f32 * module, module);
        bar.into_iter().for_each(|bar| path.push_rect(bar));
    }
    surface.set_fill(Some(Fill { paint: rgb::Color::black().into(), ..Fill::default() }));
    if let Some(path) = path.finish() {
        surface.draw_path(&path);
    }
    surface.end_tagged();
}

fn draw(surface: &mut Surface<'_>, piece: &Piece, known: &mut HashMap<u64, Font>) {
    let (left, top) = piece.at;
    for line in piece.layout.lines() {
        let mut x = left + line.metrics().offset;
        let y = top + line.metrics().baseline;
        for run in line.runs() {
            let font = run.font();
            let (data, id) = font.data.clone().into_raw_parts();
            let font = match known.entry(id) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => match Font::new(data.into(), font.index) {
                    Some(font) => unknown.insert(font),
                    // The typesetter uses fonts that were read before.
                    None => continue,
                },
            };
            let (size, begin) = (run.font_size(), x);
            let mut glyphs: Vec<KrillaGlyph> = Vec::new();
            let mut is_muted = false;
            for cluster in run.visual_clusters() {
                if cluster.is_ligature_continuation() {
                    if let Some(glyph) = glyphs.last_mut() {
                        glyph.text_range.end = cluster.text_range().end;
                    }
                    continue;
                }
                is_muted = cluster.style().brush;
                for glyph in cluster.glyphs() {
                    x += glyph.advance;
                    glyphs.push(KrillaGlyph::new(
                        GlyphId::new(glyph.id),
                        glyph.advance / size,
                        glyph.x / size,
                        glyph.y / size,
                        0.0,
                        cluster.text_range(),
                        None,
                    ));
                }
            }
            surface.set_fill(Some(Fill {
                paint: colour(is_muted).into(),
                opacity: NormalizedF32::ONE,
                rule: Default::default(),
            }));
            surface.draw_glyphs(Point::from_xy(begin, y), &glyphs, font.clone(), &piece.text, size, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use shared::money::Money;
    use shared::transfer_code;

    use super::*;

    /// The code of a transfer, and one as large as codes are.
    fn codes() -> Vec<(Qr, String)> {
        let account = ["Lindgren Akademi AB".to_owned(), "SE45 5000 0000 0583 9825 7466".to_owned()];
        let open = Money::from_minor(4_999, "EUR".parse().unwrap()).unwrap();
        let transfer = transfer_code::of(&account, open, "RF18539007547034").unwrap();
        let signed = Qr::of_any(&"e".repeat(2_000)).unwrap();
        [transfer, signed].map(|code| (code, "Scan this code.".to_owned())).into()
    }

    fn printed(rows: usize, name: &str) -> Printed {
        let row = |nth: usize| {
            [format!("{name} {nth}"), "1".into(), "1.00".into(), "0 %".into(), "0.00".into(), "1.00".into()]
        };
        Printed {
            title: "Invoice".into(),
            name: "Invoice IN26-000001".into(),
            date: (2026, 1, 31),
            seller: vec!["Lindgren Akademi AB".into()],
            buyer: ("Billed to".into(), vec!["Ada".into()]),
            facts: vec![("Number".into(), "IN26-000001".into())],
            header: ["Description", "Quantity", "Net", "Tax rate", "Tax", "Total"].map(str::to_owned),
            rows: (0..rows).map(row).collect(),
            sums: vec![("Total".into(), format!("{rows}.00 EUR"))],
            notes: vec!["Thank you.".into(), "Line\n".repeat(10)],
            codes: codes(),
            pages: "Page \u{e000} of \u{e001}".into(),
            language: "en".into(),
            symbol: "€".into(),
            currency: "EUR",
        }
    }

    #[test]
    fn documents_of_any_length_and_in_any_letters_are_valid() {
        let fonts = Fonts::new(Vec::new()).unwrap();
        // The library checks each against both standards, which allow no character without a glyph.
        for (rows, name) in [
            (0, ""),
            (1, "Möbelsnickeri: från skiss till stol"),
            (1, "सरल संस्कृत: बोलचाल से श्लोक तक"),
            (1, "Ελληνικά, русский, and letters that no font here has: 東京 한국 عربى 👩‍🚀"),
            (
                50,
                "A name that is long enough to need a second line, and then a third one, because it has many words",
            ),
        ] {
            let pdf = render(&printed(rows, name), Some("<CrossIndustryInvoice/>"), &fonts).unwrap();
            assert!(pdf.starts_with(b"%PDF-1.7"), "{name}");
        }
        let error = Fonts::new(vec![("readme.txt".into(), b"no font".to_vec())]).err().unwrap();
        assert_eq!(error.to_string(), "DOCUMENT_FONTS: readme.txt is not a font file");
    }
}
