//! A picture of the run: reads, orders and refusals by second, and how long reads took.

use std::fmt::Write;
use std::ops::Range;

use super::seconds::{Kind, Seconds, quantile};
use super::{Sample, Timeline};

const LEFT: f64 = 60.0;
const WIDTH: f64 = 820.0;
const HEIGHT: f64 = 110.0;
const GAP: f64 = 50.0;

/// A line of a panel: its name, its colour, and its value in each second.
type Line<'a> = (&'a str, &'a str, Vec<f64>);

/// Writes docs/launch.svg.
pub fn write(line: &Timeline, seconds: &Seconds, samples: &[Sample]) {
    let all = 0..line.second(Timeline::END);
    let count = |kind| by_second(&all, |second| seconds.of(kind, second..second + 1).len() as f64);
    let latency = |kind, part| {
        by_second(&all, |second| f64::from(quantile(&seconds.of(kind, second..second + 1), part)))
    };
    let sampled = |figure: fn(&Sample) -> f64| {
        by_second(&all, |second| samples.iter().find(|sample| sample.second >= second).map_or(0.0, figure))
    };
    let panels: [(&str, Vec<Line>); 5] = [
        ("reads a second", vec![("reads", "#1c4f9c", count(Kind::Read))]),
        (
            "reads, ms",
            vec![("p99", "#c2410c", latency(Kind::Read, 0.99)), ("p50", "#1c4f9c", latency(Kind::Read, 0.5))],
        ),
        (
            "checkouts a second",
            vec![
                ("refused with 503", "#b91c1c", count(Kind::Refused)),
                ("orders", "#15803d", count(Kind::Checkout)),
            ],
        ),
        (
            "checkouts, ms",
            vec![
                ("p99", "#c2410c", latency(Kind::Checkout, 0.99)),
                ("p50", "#1c4f9c", latency(Kind::Checkout, 0.5)),
            ],
        ),
        (
            "messages that wait; MiB of api and worker",
            vec![
                ("messages", "#7e22ce", sampled(|sample| f64::from(sample.waiting))),
                ("MiB", "#15803d", sampled(|sample| (sample.api_mib + sample.worker_mib) as f64)),
            ],
        ),
    ];
    let height = 40.0 + panels.len() as f64 * (HEIGHT + GAP);
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="920" height="{height}" font-family="sans-serif" font-size="12">
<rect width="920" height="{height}" fill="white"/>
"#
    );
    for (at, (title, lines)) in panels.iter().enumerate() {
        panel(&mut svg, 40.0 + at as f64 * (HEIGHT + GAP), title, lines);
    }
    events(&mut svg, line, height - GAP + 10.0);
    std::fs::write("docs/launch.svg", svg + "</svg>\n").expect("written");
}

fn by_second(all: &Range<usize>, figure: impl Fn(usize) -> f64) -> Vec<f64> {
    all.clone().map(figure).collect()
}

fn panel(svg: &mut String, top: f64, title: &str, lines: &[Line]) {
    let most = lines.iter().flat_map(|line| &line.2).fold(1.0, |most: f64, value| most.max(*value));
    let bottom = top + HEIGHT;
    let _ = writeln!(svg, r#"<text x="{LEFT}" y="{:.0}" font-weight="600">{title}</text>"#, top - 8.0);
    for part in [0.0, 0.5, 1.0] {
        let y = bottom - part * HEIGHT;
        let _ = writeln!(svg, r##"<path d="M{LEFT} {y}h{WIDTH}" stroke="#ddd"/>"##);
        let _ = writeln!(
            svg,
            r#"<text x="{}" y="{:.0}" text-anchor="end">{:.0}</text>"#,
            LEFT - 6.0,
            y + 4.0,
            part * most
        );
    }
    for (at, (name, colour, values)) in lines.iter().enumerate() {
        let step = WIDTH / values.len() as f64;
        let points = values.iter().enumerate().map(|(second, value)| {
            format!("{:.1} {:.1}", LEFT + second as f64 * step, bottom - value / most * HEIGHT)
        });
        let path = points.collect::<Vec<_>>().join("L");
        let _ = writeln!(svg, r#"<path d="M{path}" fill="none" stroke="{colour}"/>"#);
        let x = LEFT + WIDTH - 110.0 * at as f64;
        let _ = writeln!(
            svg,
            r#"<text x="{x}" y="{:.0}" text-anchor="end" fill="{colour}">{name}</text>"#,
            top - 8.0
        );
    }
}

/// What happened when, as lines through all panels.
fn events(svg: &mut String, line: &Timeline, bottom: f64) {
    let all = line.second(Timeline::END) as f64;
    let named = [
        (Timeline::CHANGE, "catalog"),
        (Timeline::BURST, "buyers"),
        (Timeline::BURST + 1, ""),
        (Timeline::SLOW, "slow provider"),
        (Timeline::DOWN, "platform unavailable"),
        (Timeline::BACK, "platform back"),
    ];
    for (minute, name) in named {
        let x = LEFT + line.second(minute) as f64 / all * WIDTH;
        let _ = writeln!(svg, r##"<path d="M{x:.1} 20V{bottom}" stroke="#777" stroke-dasharray="3 3"/>"##);
        let _ = writeln!(svg, r##"<text x="{:.1}" y="16" fill="#555">{name}</text>"##, x + 3.0);
    }
}
