//! Covers: a pattern for each title, drawn as SVG, so that a catalog without pictures has some. The same title has the same
//! cover, in the colours of its organisation.

use std::fmt::Write;

use crate::brand::Colour;

const TILE: u32 = 60;
const COLUMNS: u32 = 5;
const ROWS: u32 = 3;

/// Numbers that depend on a title alone: FNV-1a, then SplitMix64.
struct Numbers(u64);

impl Numbers {
    fn of(title: &str) -> Self {
        let hash = title.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self(hash)
    }

    /// A number below `end`.
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        u32::try_from((mixed >> 33) % u64::from(end.max(1))).unwrap_or_default()
    }
}

/// The cover of a title. Decoration: hidden from screen readers.
pub fn cover(title: &str, colour: Colour) -> String {
    let mut numbers = Numbers::of(title);
    let palette = palette(&mut numbers, colour);
    let style = numbers.below(4);
    tiles(&mut numbers, &palette, style, (COLUMNS, ROWS))
}

/// The large pattern behind the start page's title.
pub fn art() -> String {
    let mut numbers = Numbers::of("The start page");
    let palette = palette(&mut numbers, Colour::default());
    tiles(&mut numbers, &palette, 3, (16, 5))
}

/// Five colours around the organisation's: a ground, two near it, a light one and one from across the wheel.
fn palette(numbers: &mut Numbers, colour: Colour) -> [String; 5] {
    let (hue, saturation) = colour.hue();
    let hue = (hue + 340 + numbers.below(41)) % 360;
    let saturation = saturation.clamp(35, 70);
    let across = (hue + 150 + numbers.below(61)) % 360;
    [
        format!("hsl({hue} {saturation}% 27%)"),
        format!("hsl({} {saturation}% 40%)", (hue + 12) % 360),
        format!("hsl({} {}% 58%)", (hue + 350) % 360, saturation.saturating_sub(8)),
        format!("hsl({} 45% 86%)", (hue + 20) % 360),
        format!("hsl({across} 72% 62%)"),
    ]
}

fn tiles(numbers: &mut Numbers, palette: &[String; 5], style: u32, (columns, rows): (u32, u32)) -> String {
    let mut colour =
        |most: u32| palette.get(numbers.below(most) as usize).map_or("none", String::as_str).to_owned();
    let mut shapes = String::new();
    let (width, height) = (columns * TILE, rows * TILE);
    let ground = palette.first().map_or("none", String::as_str);
    for (x, y) in (0..rows).flat_map(|row| (0..columns).map(move |column| (column * TILE, row * TILE))) {
        let (back, front) = (colour(3), colour(5));
        if back != ground {
            // Writing to a text cannot fail.
            let _ = write!(shapes, r#"<path fill="{back}" d="M{x} {y}h60v60h-60z"/>"#);
        }
        if front != back {
            let _ =
                write!(shapes, r#"<path fill="{front}" d="{}"/>"#, shape(style, turn(&front, x, y), (x, y)));
        }
    }
    format!(
        r#"<svg viewBox="0 0 {width} {height}" preserveAspectRatio="xMidYMid slice" aria-hidden="true" focusable="false"><path fill="{ground}" d="M0 0h{width}v{height}H0z"/>{shapes}</svg>"#
    )
}

/// Which way a shape looks.
fn turn(colour: &str, x: u32, y: u32) -> u32 {
    let mut numbers = Numbers::of(colour);
    numbers.0 = numbers.0.wrapping_add(u64::from(x * 31 + y * 17));
    numbers.below(4)
}

/// The outline of a shape in a tile, in one of four directions.
fn shape(style: u32, turn: u32, (x, y): (u32, u32)) -> String {
    let (right, bottom, half) = (x + TILE, y + TILE, TILE / 2);
    match (style, turn) {
        // Quarters of a circle.
        (0, 0) => format!("M{x} {y}h60a60 60 0 0 1-60 60z"),
        (0, 1) => format!("M{right} {y}v60a60 60 0 0 1-60-60z"),
        (0, 2) => format!("M{right} {bottom}h-60a60 60 0 0 1 60-60z"),
        (0, _) => format!("M{x} {bottom}v-60a60 60 0 0 1 60 60z"),
        // Halves of a circle, and whole ones.
        (1, 0) => format!("M{x} {bottom}a30 30 0 0 1 60 0z"),
        (1, 1) => format!("M{x} {y}a30 30 0 0 0 60 0z"),
        (1, 2) => format!("M{x} {y}a30 30 0 0 1 0 60z"),
        (1, _) => format!("M{} {}a18 18 0 1 0 .1 0z", x + half, y + 12),
        // Triangles.
        (2, 0) => format!("M{x} {y}h60l-60 60z"),
        (2, 1) => format!("M{right} {y}v60l-60-60z"),
        (2, 2) => format!("M{x} {bottom}l30-60 30 60z"),
        (2, _) => format!("M{} {y}l30 30-30 30-30-30z", x + half),
        // Leaves and rings.
        (_, 0) => format!("M{x} {y}h30a30 30 0 0 1 30 30v30h-30a30 30 0 0 1-30-30z"),
        (_, 1) => format!("M{right} {y}h-30a30 30 0 0 0-30 30v30h30a30 30 0 0 0 30-30z"),
        (_, 2) => format!("M{x} {y}h60a60 60 0 0 1-60 60v-20a40 40 0 0 0 40-40h-40z"),
        (_, _) => format!("M{} {}a20 20 0 1 0 .1 0zm0 10a10 10 0 1 1-.1 0z", x + half, y + 10),
    }
}
