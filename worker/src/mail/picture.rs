//! Pictures for mails, as PNG: mail programs show no SVG.

use shared::qr::{Bar, Qr};

/// Side of a module in pixels, for screens of high density.
const MODULE: usize = 6;

/// Draws a code in black on white. None if the library refuses it.
pub fn png(code: &Qr) -> Option<Vec<u8>> {
    let side = usize::from(code.side()) * MODULE;
    let mut pixels = vec![u8::MAX; side * side];
    for Bar { column, row, width } in code.bars() {
        let begin = usize::from(column) * MODULE;
        for line in pixels.chunks_mut(side).skip(usize::from(row) * MODULE).take(MODULE) {
            line.iter_mut().skip(begin).take(width * MODULE).for_each(|pixel| *pixel = 0);
        }
    }
    let (mut png, side) = (Vec::new(), u32::try_from(side).ok()?);
    let mut encoder = png::Encoder::new(&mut png, side, side);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().and_then(|mut writer| writer.write_image_data(&pixels)).ok()?;
    Some(png)
}
