//! Descriptions of courses, which organisations write as HTML: read as titles, paragraphs and lists of plain text, so that no
//! markup but the shop's own reaches a page.

use serde::Serialize;

/// A part of a description.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Block {
    Title { text: String },
    Text { text: String },
    List { items: Vec<String> },
}

/// Reads a description. Text outside of any element is a paragraph; what scripts and styles hold is left out.
pub fn blocks(html: &str) -> Vec<Block> {
    let mut reader = Reader::default();
    let mut rest = html;
    while let Some((text, after)) = rest.split_once('<') {
        reader.text(text);
        let Some((tag, after)) = after.split_once('>') else { return reader.end() };
        reader.tag(tag);
        rest = after;
    }
    reader.text(rest);
    reader.end()
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    text: String,
    kind: Kind,
    is_hidden: bool,
}

#[derive(Clone, Copy, Default)]
enum Kind {
    #[default]
    Text,
    Title,
    Entry,
}

impl Reader {
    fn text(&mut self, text: &str) {
        if !self.is_hidden {
            self.text.push_str(&decoded(text));
        }
    }

    fn tag(&mut self, tag: &str) {
        let is_end = tag.starts_with('/');
        let name: String =
            tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        match name.to_ascii_lowercase().as_str() {
            "script" | "style" => self.is_hidden = !is_end,
            "br" => self.text.push(' '),
            "p" | "div" | "ul" | "ol" | "section" => self.begin(Kind::Text),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.begin(if is_end { Kind::Text } else { Kind::Title })
            }
            "li" => self.begin(if is_end { Kind::Text } else { Kind::Entry }),
            _ => {}
        }
    }

    /// Ends the part so far, and begins another.
    fn begin(&mut self, kind: Kind) {
        let words: Vec<&str> = self.text.split_whitespace().collect();
        let text = words.join(" ");
        if !text.is_empty() {
            match (self.kind, self.blocks.last_mut()) {
                (Kind::Entry, Some(Block::List { items })) => items.push(text),
                (Kind::Entry, _) => self.blocks.push(Block::List { items: vec![text] }),
                (Kind::Title, _) => self.blocks.push(Block::Title { text }),
                (Kind::Text, _) => self.blocks.push(Block::Text { text }),
            }
        }
        self.text.clear();
        self.kind = kind;
    }

    fn end(mut self) -> Vec<Block> {
        self.begin(Kind::Text);
        self.blocks
    }
}

/// Text with the few entities that descriptions have.
fn decoded(text: &str) -> String {
    let text = text.replace("&nbsp;", "\u{a0}").replace("&lt;", "<").replace("&gt;", ">");
    text.replace("&quot;", "\"").replace("&#39;", "'").replace("&rsquo;", "’").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_titles_paragraphs_and_lists() {
        let html = "<p>One <em>and</em>\n two.</p><h3>Learn</h3><ul><li>R &amp; D</li><li>a &lt;b&gt;</li></ul>after";
        assert_eq!(
            blocks(html),
            [
                Block::Text { text: "One and two.".into() },
                Block::Title { text: "Learn".into() },
                Block::List { items: vec!["R & D".into(), "a <b>".into()] },
                Block::Text { text: "after".into() },
            ]
        );
    }

    #[test]
    fn broken_markup_and_scripts_leave_text_alone() {
        assert_eq!(blocks("<script>alert(1)</script>safe<"), [Block::Text { text: "safe".into() }]);
        assert_eq!(blocks("<p>a<img src=x onerror=alert(1)>b"), [Block::Text { text: "ab".into() }]);
        assert_eq!(blocks(""), []);
        assert_eq!(blocks("<<li>x</p></li></ul>"), [Block::Text { text: "x".into() }]);
    }
}
