//! Places the texts of a document on A4 pages, from top to bottom.

use std::borrow::Cow;
use std::num::NonZeroU16;
use std::ops::Range;

use krilla::tagging::ArtifactType;
use parley::{
    Alignment, FontContext, FontFamily, FontFamilyName, FontWeight, Layout, LayoutContext, LineHeight,
    OverflowWrap, StyleProperty,
};

use shared::qr::Qr;

use super::fonts::Fonts;

/// Content of a document, as it is printed.
pub struct Printed {
    pub title: String,
    /// The title with the number.
    pub name: String,
    /// The date of issue: year, month, day.
    pub date: (u16, u8, u8),
    pub seller: Vec<String>,
    /// The heading of the buyer's address, and its lines.
    pub buyer: (String, Vec<String>),
    /// Label and value, such as the number.
    pub facts: Vec<(String, String)>,
    pub header: [String; COLUMNS],
    pub rows: Vec<[String; COLUMNS]>,
    /// Label and amount. The last one is the total.
    pub sums: Vec<(String, String)>,
    pub notes: Vec<String>,
    /// Codes to scan, and what the reader does with each.
    pub codes: Vec<(Qr, String)>,
    /// The line at the foot of each page, with [`PAGE_MARK`] and [`PAGES_MARK`].
    pub pages: String,
    /// The language of its words, a tag of BCP 47.
    pub language: String,
    /// Symbol of the currency in its amounts, and the code that takes its place where no font has the symbol.
    pub symbol: String,
    pub currency: &'static str,
}

/// Stands for the number of a page in [`Printed::pages`].
pub const PAGE_MARK: &str = "\u{e000}";
/// Stands for the number of pages in [`Printed::pages`].
pub const PAGES_MARK: &str = "\u{e001}";

/// The columns of the table: what was sold, and five of numbers.
pub const COLUMNS: usize = 6;

/// In points, as all lengths here.
pub(super) const PAGE: (f32, f32) = (595.28, 841.89);
pub(super) const MARGIN: f32 = 56.0;
pub(super) const RIGHT: f32 = PAGE.0 - MARGIN;
const BOTTOM: f32 = PAGE.1 - 72.0;
const GAP: f32 = 8.0;
const BODY: f32 = 9.5;
/// Widths of the columns of numbers, each with the gap before it. A column is wider if a number needs it.
const NUMBERS: [f32; COLUMNS - 1] = [64.0, 60.0, 40.0, 54.0, RIGHT - 460.0];
/// Width that is left for what was sold. Where large numbers leave less, the table is set in the next size.
const DESCRIPTION: f32 = 110.0;
const SMALLER: [f32; 3] = [8.5, 7.5, 6.5];
/// Side of a code: 3 cm, unless its modules need more.
const CODE: f32 = 85.0;
/// The smallest side of a module that a telephone reads in print: 0.3 mm.
const MODULE: f32 = 0.85;
/// Widths of the column of sums, and of the labels of the facts at most.
const SUMS: f32 = RIGHT - 430.0;
const LABELS: f32 = 110.0;
/// Longer facts are not ids, and may break.
const LONGEST_ID: f32 = 215.0;

/// Role of a text for those who hear the document.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Role {
    Heading(NonZeroU16),
    Paragraph,
    /// The row, and whether it is the header.
    Cell(usize, bool),
    /// Repeated or decorative.
    Artifact(ArtifactType),
}

/// Place of a text between two sides, this far below the current height.
#[derive(Clone, Copy)]
struct Place {
    left: f32,
    right: f32,
    below: f32,
}

impl Place {
    const fn new(left: f32, right: f32, below: f32) -> Self {
        Self { left, right, below }
    }
}

#[derive(Clone, Copy)]
struct Style {
    size: f32,
    is_bold: bool,
    is_muted: bool,
}

/// The widths of a table's columns, and the size of its text.
struct Columns {
    size: f32,
    first: f32,
    /// Each with the gap before it.
    numbers: [f32; COLUMNS - 1],
}

impl Columns {
    fn style(&self, style: Style) -> Style {
        Style { size: self.size, ..style }
    }
}

const FIRST: NonZeroU16 = NonZeroU16::MIN;
const SECOND: NonZeroU16 = FIRST.saturating_add(1);

const NORMAL: Style = Style { size: BODY, is_bold: false, is_muted: false };
const BOLD: Style = Style { is_bold: true, ..NORMAL };
const MUTED: Style = Style { is_muted: true, ..NORMAL };
const TITLE: Style = Style { size: 22.0, ..BOLD };

/// A text at its place on a page.
pub(super) struct Piece {
    pub page: usize,
    pub at: (f32, f32),
    pub text: String,
    pub layout: Layout<bool>,
    pub role: Role,
}

/// Places texts from top to bottom.
pub(super) struct Typesetter {
    fonts: FontContext,
    families: Vec<String>,
    context: LayoutContext<bool>,
    pub pieces: Vec<Piece>,
    /// A symbol that no font has, with the code in its place.
    without_symbol: Option<(String, &'static str)>,
    /// Lines across the page: page and height.
    pub rules: Vec<(usize, f32)>,
    /// Page, place and side of each code.
    pub codes: Vec<(usize, (f32, f32), f32)>,
    page: usize,
    y: f32,
}

impl Typesetter {
    /// Places everything that a document says.
    pub fn typeset(printed: &Printed, fonts: &Fonts) -> Self {
        let mut typesetter = Self::new(fonts);
        if !without_glyph(&typesetter.lay_out(&printed.symbol, NORMAL)).is_empty() {
            typesetter.without_symbol = Some((printed.symbol.clone(), printed.currency));
        }
        typesetter.document(printed);
        typesetter.page_numbers(&printed.pages);
        typesetter
    }

    fn new(fonts: &Fonts) -> Self {
        let Fonts { collection, families } = fonts.clone();
        Self {
            fonts: FontContext { collection, source_cache: Default::default() },
            families,
            context: LayoutContext::new(),
            pieces: Vec::new(),
            without_symbol: None,
            rules: Vec::new(),
            codes: Vec::new(),
            page: 0,
            y: MARGIN,
        }
    }

    /// Places a text. Returns its height.
    fn put(&mut self, text: &str, place: Place, align: Alignment, style: Style, role: Role) -> f32 {
        let (text, mut layout) = self.broken(text, place.right - place.left, style);
        layout.align(align, Default::default());
        let height = layout.height();
        let at = (place.left, self.y + place.below);
        self.pieces.push(Piece { page: self.page, at, text, layout, role });
        height
    }

    /// Measures the height of a text of this width.
    fn height(&mut self, text: &str, width: f32, style: Style) -> f32 {
        self.broken(text, width, style).1.height()
    }

    /// Width of a text in one line. No number or id that has it breaks: [`OverflowWrap`] would break it anywhere.
    fn width(&mut self, text: &str, style: Style) -> f32 {
        self.lay_out(text, style).width().ceil() + 1.0
    }

    /// Width of the longest word of a text.
    fn longest_word(&mut self, text: &str, style: Style) -> f32 {
        text.split_whitespace().map(|word| self.width(word, style)).fold(0.0, f32::max)
    }

    /// A text in lines of this width, with a replacement for each character that no font has.
    fn broken(&mut self, text: &str, width: f32, style: Style) -> (String, Layout<bool>) {
        let mut text = match &self.without_symbol {
            Some((symbol, code)) => with_code(text, symbol, code),
            None => text.to_owned(),
        };
        let mut layout = self.lay_out(&text, style);
        // PDF/A has no place for characters without a glyph.
        for missing in without_glyph(&layout).into_iter().rev() {
            text.replace_range(missing, "\u{fffd}");
            layout = self.lay_out(&text, style);
        }
        layout.break_all_lines(Some(width));
        (text, layout)
    }

    fn lay_out(&mut self, text: &str, style: Style) -> Layout<bool> {
        let names =
            self.families.iter().map(|name| FontFamilyName::Named(Cow::Borrowed(name))).collect::<Vec<_>>();
        let mut builder = self.context.ranged_builder(&mut self.fonts, text, 1.0, false);
        builder.push_default(StyleProperty::FontFamily(FontFamily::List(Cow::Owned(names))));
        builder.push_default(StyleProperty::FontSize(style.size));
        builder.push_default(StyleProperty::LineHeight(LineHeight::FontSizeRelative(1.4)));
        builder.push_default(StyleProperty::Brush(style.is_muted));
        // A name may have no place to break.
        builder.push_default(StyleProperty::OverflowWrap(OverflowWrap::Anywhere));
        if style.is_bold {
            builder.push_default(StyleProperty::FontWeight(FontWeight::BOLD));
        }
        let mut layout = builder.build(text);
        layout.break_all_lines(None);
        layout
    }

    fn document(&mut self, printed: &Printed) {
        self.head(printed);
        self.table(printed);
        self.sums(printed);
        self.y += 20.0;
        for note in &printed.notes {
            let height = self.height(note, RIGHT - MARGIN, MUTED);
            self.keep(height);
            self.y +=
                self.put(note, Place::new(MARGIN, RIGHT, 0.0), Alignment::Start, MUTED, Role::Paragraph)
                    + 4.0;
        }
        for (code, caption) in &printed.codes {
            let side = CODE.max(f32::from(code.side()) * MODULE);
            self.keep(side);
            self.codes.push((self.page, (MARGIN, self.y), side));
            let beside = Place::new(MARGIN + side + GAP, RIGHT, side / 2.0 - BODY);
            self.put(caption, beside, Alignment::Start, MUTED, Role::Paragraph);
            self.y += side;
        }
    }

    /// The title and the seller, then the buyer and the facts.
    fn head(&mut self, printed: &Printed) {
        let middle = PAGE.0 / 2.0;
        let mut y = 0.0;
        y += self.put(
            &printed.title,
            Place::new(MARGIN, middle, 0.0),
            Alignment::Start,
            TITLE,
            Role::Heading(FIRST),
        );
        let mut right = 0.0;
        for (index, line) in printed.seller.iter().enumerate() {
            let style = if index == 0 { BOLD } else { NORMAL };
            right += self.put(line, Place::new(middle, RIGHT, right), Alignment::End, style, Role::Paragraph);
        }
        self.y += y.max(right) + 24.0;
        let (labels, values) = self.facts(printed);
        let facts_begin = (RIGHT - labels - GAP - values).min(middle);
        let (heading, lines) = &printed.buyer;
        let mut left = self.put(
            heading,
            Place::new(MARGIN, facts_begin - GAP, 0.0),
            Alignment::Start,
            MUTED,
            Role::Heading(SECOND),
        );
        for line in lines {
            left += self.put(
                line,
                Place::new(MARGIN, facts_begin - GAP, left),
                Alignment::Start,
                NORMAL,
                Role::Paragraph,
            );
        }
        let mut right = 0.0;
        for (label, value) in &printed.facts {
            let end = facts_begin + labels;
            let columns = [(label, facts_begin, end, MUTED), (value, end + GAP, RIGHT, NORMAL)];
            let heights = columns.map(|(text, from, to, style)| {
                self.put(text, Place::new(from, to, right), Alignment::Start, style, Role::Paragraph)
            });
            right += heights[0].max(heights[1]);
        }
        self.y += left.max(right) + 28.0;
    }

    /// Widths of the labels and of the values of the facts.
    fn facts(&mut self, printed: &Printed) -> (f32, f32) {
        let (mut labels, mut values) = (0.0_f32, 0.0_f32);
        for (label, value) in &printed.facts {
            labels = labels.max(self.width(label, MUTED).min(LABELS));
            let whole = self.width(value, NORMAL);
            let unbroken = if whole <= LONGEST_ID { whole } else { self.longest_word(value, NORMAL) };
            values = values.max(unbroken.min(LONGEST_ID));
        }
        (labels, values)
    }

    /// Begins a new page unless so much still fits. True if it did.
    fn keep(&mut self, height: f32) -> bool {
        let is_full = self.y + height > BOTTOM;
        if is_full {
            self.page += 1;
            self.y = MARGIN;
        }
        is_full
    }

    fn rule(&mut self) {
        self.rules.push((self.page, self.y));
        self.y += 5.0;
    }

    fn table(&mut self, printed: &Printed) {
        let columns = self.columns(printed);
        let (normal, bold) = (columns.style(NORMAL), columns.style(BOLD));
        self.row(&printed.header, &columns, bold, |_| Role::Cell(0, true));
        self.rule();
        for (index, row) in printed.rows.iter().enumerate() {
            let height = row.first().map_or(0.0, |name| self.height(name, columns.first, normal));
            if self.keep(height + 20.0) {
                self.row(&printed.header, &columns, bold, |_| Role::Artifact(ArtifactType::Header));
                self.rule();
            }
            self.row(row, &columns, normal, |_| Role::Cell(index + 1, false));
            self.y += 2.0;
        }
        self.rule();
    }

    /// Makes the columns of numbers as wide as their widest number.
    fn columns(&mut self, printed: &Printed) -> Columns {
        let mut columns = self.columns_of(printed, BODY);
        for size in SMALLER {
            if columns.first >= DESCRIPTION {
                break;
            }
            columns = self.columns_of(printed, size);
        }
        columns
    }

    fn columns_of(&mut self, printed: &Printed, size: f32) -> Columns {
        let mut numbers = NUMBERS;
        let (normal, bold) = (Style { size, ..NORMAL }, Style { size, ..BOLD });
        for (width, heading) in numbers.iter_mut().zip(printed.header.iter().skip(1)) {
            *width = width.max(self.longest_word(heading, bold) + GAP);
        }
        for row in &printed.rows {
            for (width, number) in numbers.iter_mut().zip(row.iter().skip(1)) {
                *width = width.max(self.width(number, normal) + GAP);
            }
        }
        let first = (RIGHT - MARGIN - numbers.iter().sum::<f32>()).max(GAP);
        Columns { size, first, numbers }
    }

    fn row(
        &mut self,
        cells: &[String; COLUMNS],
        columns: &Columns,
        style: Style,
        role: impl Fn(usize) -> Role,
    ) {
        let (mut left, mut height) = (MARGIN, 0.0_f32);
        let widths = [columns.first].into_iter().chain(columns.numbers);
        for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
            let (align, start) =
                if column == 0 { (Alignment::Start, left) } else { (Alignment::End, left + GAP) };
            left += width;
            height = height.max(self.put(cell, Place::new(start, left, 0.0), align, style, role(column)));
        }
        self.y += height + 3.0;
    }

    fn sums(&mut self, printed: &Printed) {
        let last = printed.sums.len().saturating_sub(1);
        self.keep((last + 1) as f32 * BODY * 2.0);
        let style = |index| if index == last { Style { size: 11.5, ..BOLD } } else { NORMAL };
        let mut width = SUMS;
        for (index, (_, amount)) in printed.sums.iter().enumerate() {
            width = width.max(self.width(amount, style(index)) + GAP);
        }
        for (index, (label, amount)) in printed.sums.iter().enumerate() {
            let style = style(index);
            let height = self.put(
                label,
                Place::new(PAGE.0 / 2.0 - 60.0, RIGHT - width, 0.0),
                Alignment::End,
                style,
                Role::Paragraph,
            );
            let place = Place::new(RIGHT - width, RIGHT, 0.0);
            self.put(amount, place, Alignment::End, style, Role::Paragraph);
            self.y += height + 3.0;
        }
    }

    fn page_numbers(&mut self, label: &str) {
        let pages = self.page + 1;
        self.y = PAGE.1 - 44.0;
        for page in 0..pages {
            self.page = page;
            let text =
                label.replace(PAGE_MARK, &(page + 1).to_string()).replace(PAGES_MARK, &pages.to_string());
            self.put(
                &text,
                Place::new(MARGIN, RIGHT, 0.0),
                Alignment::End,
                MUTED,
                Role::Artifact(ArtifactType::PageNumber),
            );
        }
    }
}

/// A text with a currency's code in place of its symbol, apart from the digits.
fn with_code(text: &str, symbol: &str, code: &str) -> String {
    let mut parts = text.split(symbol);
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        if written.ends_with(char::is_numeric) {
            written.push('\u{a0}');
        }
        written.push_str(code);
        if part.starts_with(char::is_numeric) {
            written.push('\u{a0}');
        }
        written.push_str(part);
    }
    written
}

/// The parts of a laid out text that no font can show, in order.
fn without_glyph(layout: &Layout<bool>) -> Vec<Range<usize>> {
    let runs = layout.lines().flat_map(|line| line.runs().collect::<Vec<_>>());
    let clusters = runs.flat_map(|run| run.clusters().collect::<Vec<_>>());
    let missing = clusters.filter(|cluster| cluster.glyphs().any(|glyph| glyph.id == 0));
    let mut missing: Vec<Range<usize>> = missing.map(|cluster| cluster.text_range()).collect();
    missing.sort_by_key(|range| range.start);
    missing
}
