//! One plot: cold latency against catalog size, both logarithmic, as SVG.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::catalog::Measured;

const COLOURS: [&str; 5] = ["#1c4f9c", "#c2410c", "#15803d", "#7e22ce", "#b91c1c"];
const LEFT: f64 = 70.0;
const TOP: f64 = 40.0;
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 260.0;

/// The axes: 100 to 1,000,000 courses, 0.1 to 1,000 ms.
fn place(courses: u32, milliseconds: f64) -> (f64, f64) {
    let x = (f64::from(courses).log10() - 2.0) / 4.0;
    let y = (milliseconds.max(0.1).log10() + 1.0) / 4.0;
    (LEFT + x * WIDTH, TOP + (1.0 - y) * HEIGHT)
}

pub fn latency(all: &[Measured]) -> String {
    let mut by_read: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    for m in all {
        by_read.entry(m.name).or_default().push(place(m.courses, m.cold_p50));
    }
    let mut svg = String::from(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="700" height="360" font-family="sans-serif" font-size="12">
<rect width="700" height="360" fill="white"/><text x="70" y="24" font-size="14">Cold reads, p50, by number of courses</text>
"#,
    );
    for milliseconds in [0.1, 1.0, 10.0, 100.0, 1000.0] {
        let (_, y) = place(100, milliseconds);
        let right = LEFT + WIDTH;
        let _ = writeln!(svg, r##"<path d="M{LEFT} {y}H{right}" stroke="#ddd"/>"##);
        let _ =
            writeln!(svg, r#"<text x="62" y="{:.0}" text-anchor="end">{milliseconds} ms</text>"#, y + 4.0);
    }
    for courses in [100, 1_000, 10_000, 100_000, 1_000_000] {
        let (x, y) = place(courses, 0.1);
        let _ = writeln!(svg, r#"<text x="{x}" y="{:.0}" text-anchor="middle">{courses}</text>"#, y + 20.0);
    }
    for (index, ((name, points), colour)) in by_read.iter().zip(COLOURS).enumerate() {
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
        let _ = writeln!(
            svg,
            r#"<path d="M{}" fill="none" stroke="{colour}" stroke-width="2"/>"#,
            path.join("L")
        );
        for (x, y) in points {
            let _ = writeln!(svg, r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="{colour}"/>"#);
        }
        let y = 60 + index * 20;
        let _ = writeln!(svg, r#"<text x="510" y="{y}" fill="{colour}">{name}</text>"#);
    }
    svg + "</svg>\n"
}
