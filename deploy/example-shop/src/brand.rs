//! Organisations as the shop shows them: names, logos and colours.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;

use crate::storefront::{Storefront, word};

/// A colour of the sRGB space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour([u8; 3]);

impl Default for Colour {
    /// The shop's own.
    fn default() -> Self {
        Self([0x17, 0x4a, 0x5b])
    }
}

impl Colour {
    /// A colour as `#rrggbb`. What an organisation wrote goes into a style sheet, so nothing else is taken.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        let number = u32::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))?;
        let [_, red, green, blue] = number.to_be_bytes();
        Some(Self([red, green, blue]))
    }

    /// A colour for an organisation without one, by its name.
    fn of(name: &str) -> Self {
        const OTHERS: [[u8; 3]; 6] = [
            [0x17, 0x4a, 0x5b],
            [0x2f, 0x55, 0x2c],
            [0x5b, 0x2a, 0x4e],
            [0x7a, 0x3b, 0x12],
            [0x2d, 0x3a, 0x72],
            [0x6b, 0x1f, 0x2a],
        ];
        let sum = name.bytes().fold(0usize, |sum, byte| sum.wrapping_mul(33).wrapping_add(usize::from(byte)));
        OTHERS.get(sum % OTHERS.len()).map_or_else(Self::default, |other| Self(*other))
    }

    /// Hue in degrees and saturation in percent.
    pub fn hue(self) -> (u32, u32) {
        let [red, green, blue] = self.0.map(i32::from);
        let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
        let range = most - least;
        if range == 0 {
            return (200, 0);
        }
        let hue = match most {
            _ if most == red => 60 * (green - blue) / range,
            _ if most == green => 120 + 60 * (blue - red) / range,
            _ => 240 + 60 * (red - green) / range,
        };
        let saturation = 100 * range / (255 - (most + least - 255).abs()).max(1);
        (u32::try_from((hue + 360) % 360).unwrap_or_default(), u32::try_from(saturation).unwrap_or_default())
    }

    /// Luminance by WCAG, from 0 to 1.
    fn luminance(self) -> f64 {
        let [red, green, blue] = self.0.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// Colours of a surface and of text that can be read on it.
    pub fn surface(self) -> Surface {
        let [red, green, blue] = self.0;
        // White and black have the same contrast with a luminance of 0.179.
        let ink = if self.luminance() < 0.179 { "#ffffff" } else { "#000000" };
        Surface { colour: format!("#{red:02x}{green:02x}{blue:02x}"), ink }
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct Surface {
    colour: String,
    ink: &'static str,
}

/// An organisation, as cards and pages name it.
#[derive(Clone, Debug)]
pub struct Brand {
    pub short_name: String,
    pub name: String,
    pub colour: Colour,
}

/// The organisations of the storefront, by id.
#[derive(Debug, Default)]
pub struct Brands(HashMap<String, Brand>);

impl Brands {
    /// Reads names and colours. Without an answer, organisations have colours by their names.
    pub async fn read(storefront: &Storefront<'_>) -> Self {
        let (named, styled) = tokio::join!(
            storefront.get("/storeapi/discovery/organisations/", &[("fields", "basic")]),
            storefront.get("/storeapi/discovery/marketing-page-metadata/", &[]),
        );
        let colours: HashMap<&str, Colour> =
            styled.body.as_array().into_iter().flatten().filter_map(coloured).collect();
        let brands = named.body["organisations"].as_array().into_iter().flatten().map(|organisation| {
            let (id, name) = (word(&organisation["id"]), word(&organisation["name"]));
            let colour = colours.get(id.as_str()).copied().unwrap_or_else(|| Colour::of(&name));
            (id, Brand { short_name: word(&organisation["short_name"]), name, colour })
        });
        Self(brands.collect())
    }

    /// The organisation with this id, short name or name.
    pub fn find(&self, key: &str) -> Option<&Brand> {
        self.0.get(key).or_else(|| self.0.values().find(|brand| brand.short_name == key || brand.name == key))
    }

    /// Its colour, or one by its name.
    pub fn colour(&self, key: &str) -> Colour {
        self.find(key).map_or_else(|| Colour::of(key), |brand| brand.colour)
    }

    /// All of them, by name.
    pub fn all(&self) -> Vec<&Brand> {
        let mut all: Vec<&Brand> = self.0.values().collect();
        all.sort_by(|one, other| one.name.cmp(&other.name));
        all
    }
}

/// The organisation's colour: `theme.primary` of its marketing metadata.
fn coloured(entry: &Value) -> Option<(&str, Colour)> {
    let colour = entry["marketing_page_metadata"]["theme"]["primary"].as_str().and_then(Colour::parse)?;
    Some((entry["organisation_id"].as_str()?, colour))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colours_of_six_digits_reach_a_style_sheet() {
        assert_eq!(Colour::parse("#0b3d5c"), Some(Colour([0x0b, 0x3d, 0x5c])));
        for wrong in ["0b3d5c", "#0b3", "red", "#0b3d5c;}", "#+b3d5c", "#0b3d5ü", ""] {
            assert_eq!(Colour::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn text_on_any_colour_of_an_organisation_has_a_contrast_that_wcag_asks_for() {
        for number in (0..0x0100_0000_u32).step_by(4_099) {
            let [_, red, green, blue] = number.to_be_bytes();
            let colour = Colour([red, green, blue]);
            let ink = Colour::parse(colour.surface().ink).map_or(0.0, Colour::luminance);
            let (most, least) = (ink.max(colour.luminance()), ink.min(colour.luminance()));
            assert!((most + 0.05) / (least + 0.05) >= 4.5, "{colour:?}");
        }
    }
}
