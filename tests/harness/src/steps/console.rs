//! Pages and forms of the console, as a browser asks for them.

use crate::{Reply, Setup, World};

/// The origin of the console's own pages.
pub const OWN: &str = "http://store.test";

/// A world whose api serves the console.
pub fn with_console() -> Setup {
    Setup { api_args: vec!["--console=true".into()], ..Setup::selling() }
}

/// GETs a page as the person of a cookie.
pub async fn get(world: &World, cookie: &str, path: &str) -> Reply {
    Reply::read(world.http.get(world.url(path)).header("cookie", cookie)).await
}

/// Sends a form as a page of an origin does.
pub async fn post(world: &World, cookie: &str, path: &str, origin: &str, fields: &[(&str, &str)]) -> Reply {
    let body =
        fields.iter().map(|(name, value)| format!("{name}={}", escaped(value))).collect::<Vec<_>>().join("&");
    let request = world.http.post(world.url(path)).header("cookie", cookie).header("origin", origin);
    Reply::read(request.header("content-type", "application/x-www-form-urlencoded").body(body)).await
}

fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// Sends a form with the content of a file in its field `csv`, as a page of an origin does.
pub async fn upload(
    world: &World,
    cookie: &str,
    path: &str,
    origin: &str,
    fields: &[(&str, &str)],
    csv: &[u8],
) -> Reply {
    let mut body = Vec::new();
    for (name, value) in fields {
        let head = format!("--B\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend_from_slice(head.as_bytes());
    }
    body.extend_from_slice(b"--B\r\ncontent-disposition: form-data; name=\"csv\"; filename=\"a.csv\"\r\n");
    body.extend_from_slice(b"content-type: text/csv\r\n\r\n");
    body.extend_from_slice(csv);
    body.extend_from_slice(b"\r\n--B--\r\n");
    let request = world.http.post(world.url(path)).header("cookie", cookie).header("origin", origin);
    Reply::read(request.header("content-type", "multipart/form-data; boundary=B").body(body)).await
}

/// The value of the form key on a page.
pub fn key(page: &Reply) -> String {
    let (_, rest) = page.text.split_once(r#"name="key" value=""#).expect("a form");
    rest.split_once('"').expect("a value").0.to_owned()
}
