//! What is found of records as domains have them.

use hickory_resolver::proto::op::{Message, MessageType, ResponseCode};
use hickory_resolver::proto::rr::rdata::{A, MX, TXT};
use hickory_resolver::proto::rr::{Name, Record};
use tokio::net::UdpSocket;

use super::*;

/// A server that knows these records: `NAME TYPE DATA`, one a line.
async fn server(zone: &str) -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    let records: Vec<Record> = zone.lines().filter(|line| !line.trim().is_empty()).map(record).collect();
    tokio::spawn(async move {
        let mut buffer = [0; 1500];
        loop {
            let (length, caller) = socket.recv_from(&mut buffer).await.unwrap();
            let mut answer = Message::from_vec(buffer.get(..length).unwrap()).unwrap();
            let query = answer.queries.first().unwrap().clone();
            let of_name: Vec<&Record> =
                records.iter().filter(|record| record.name == *query.name()).collect();
            answer.metadata.message_type = MessageType::Response;
            answer.metadata.response_code = match of_name.is_empty() {
                true if query.name().to_ascii().starts_with("broken") => ResponseCode::ServFail,
                true => ResponseCode::NXDomain,
                false => ResponseCode::NoError,
            };
            answer.add_answers(
                of_name.into_iter().filter(|record| record.record_type() == query.query_type()).cloned(),
            );
            socket.send_to(&answer.to_vec().unwrap(), caller).await.unwrap();
        }
    });
    address
}

fn record(line: &str) -> Record {
    let [name, kind, data] = line.trim().splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
    let name_of = |name: &str| Name::from_ascii(format!("{}.", name.trim_end_matches('.'))).unwrap();
    let data = match kind {
        "A" => RData::A(A(data.parse().unwrap())),
        "MX" => RData::MX(MX::new(10, name_of(data))),
        // A record of more than 255 bytes has several strings, which count as one.
        "TXT" => RData::TXT(TXT::new(data.split('|').map(str::to_owned).collect())),
        _ => panic!("{kind}"),
    };
    Record::from_rdata(name_of(name), 60, data)
}

async fn found(zone: &str, envelope: Option<&str>, selectors: &[&str]) -> String {
    let dns = Dns::new(Some(server(zone).await)).unwrap();
    let selectors: Vec<String> = selectors.iter().map(|&name| name.to_owned()).collect();
    let line = |(name, finding): (String, Finding)| match finding {
        Ok(detail) => format!("{name}: {detail}\n"),
        Err(fault) => format!("! {name}: {fault}\n"),
    };
    dns.records("news.eu.shop.io", envelope, &selectors).await.into_iter().map(line).collect()
}

#[tokio::test]
async fn a_domain_with_all_records_is_well() {
    let zone = "
        news.eu.shop.io MX mx.shop.io
        news.eu.shop.io TXT google-site-verification=x
        news.eu.shop.io TXT v=spf1 include:_spf.|mailer.io. -all
        _spf.mailer.io TXT v=spf1 ip4:192.0.2.0/24 ~all
        s1._domainkey.shop.io TXT v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
        _dmarc.shop.io TXT v=DMARC1; p=reject; sp = none";
    assert_eq!(
        found(zone, Some("news.eu.shop.io"), &["s1"]).await,
        "return path at news.eu.shop.io: has a mail server\n\
         SPF of news.eu.shop.io: v=spf1 include:_spf.mailer.io. -all\n\
         DKIM key s1 of news.eu.shop.io: is there, at shop.io, for ed25519\n\
         DMARC of news.eu.shop.io: p=none, by _dmarc.shop.io\n"
    );
    // A service with a return path of its own has its SPF record there.
    assert_eq!(
        found("_dmarc.news.eu.shop.io TXT v=DMARC1", None, &[]).await,
        "DKIM of news.eu.shop.io: not checked: name the keys of the mail server with --dkim-selectors\n\
         DMARC of news.eu.shop.io: p=none, by _dmarc.news.eu.shop.io\n"
    );
}

/// Policies as RFC 7208 has receivers judge them.
#[tokio::test]
async fn what_is_held_against_a_policy_of_servers_is_named() {
    let far = (0..=SPF_LOOK_UPS).fold("v=spf1".to_owned(), |policy, at| format!("{policy} a:{at}.shop.io"));
    for (policies, says) in [
        ("", "! SPF: has no record"),
        ("v=spf10 a", "! SPF: has no record"),
        ("v=spf1 a\nV=SPF1 mx", "! SPF: has 2 records"),
        ("v=spf1 mx all", "! SPF: lets every server"),
        ("v=spf1 ip4:192.0.2.1 +ALL", "! SPF: lets every server"),
        ("v=spf1 exp=why.shop.io -all", "! SPF: lets no server"),
        ("v=spf1 -all include:mailer.io", "! SPF: lets no server"),
        ("v=spf1 redirect=mailer.io -all", "! SPF: lets no server"),
        ("v=spf1 -mx include=mailer.io -all", "! SPF: lets no server"),
        ("v=spf1", "! SPF: lets no server"),
        ("v=spf1 ip:192.0.2.1 -all", "! SPF: has an error: ip:192.0.2.1"),
        ("v=spf1 redirect:mailer.io", "! SPF: has an error: redirect:mailer.io"),
        ("v=spf1 mx include -all", "! SPF: has an error: include"),
        ("v=spf1 ip4:192.0.2.300 -all", "! SPF: has an error: ip4:192.0.2.300"),
        ("v=spf1 ip4:192.0.2.0/33 -all", "! SPF: has an error: ip4:192.0.2.0/33"),
        ("v=spf1 ip4:2001:db8::1 -all", "! SPF: has an error: ip4:2001:db8::1"),
        ("v=spf1 mx all:shop.io", "! SPF: has an error: all:shop.io"),
        ("v=spf1 a: -all", "! SPF: has an error: a:"),
        ("v=spf1 redirect=mailer.io redirect=mailer.io", "! SPF: has an error: two redirects"),
        ("v=spf1 include:wrong.io -all", "! SPF: has an error: ip:192.0.2.1 at wrong.io"),
        ("v=spf1 ip6:2001:db8::/32 ip4:192.0.2.1 -all", "SPF: v=spf1 ip6"),
        ("v=spf1 include:gone.io ~all", "! SPF: has an error: include:gone.io, where there are 0 records"),
        ("v=spf1 redirect=news.eu.shop.io", "! SPF: needs more than 10 DNS look-ups"),
        (&far, "! SPF: needs more than 10 DNS look-ups"),
        ("v=spf1 include:broken.io", "! SPF: not checked: TXT of broken.io: "),
        ("v=spf1 REDIRECT=mailer.io", "SPF: v=spf1 REDIRECT"),
        ("v=spf1 mx redirect=gone.io ~all", "SPF: v=spf1 mx"),
        ("v=spf1 include:%{i}.shop.io -all", "SPF: v=spf1 include"),
        ("v=spf1 a/24 mx:shop.io//64 -all", "SPF: v=spf1 a/24"),
    ] {
        let records: Vec<String> =
            policies.lines().map(|policy| format!("news.eu.shop.io TXT {policy}")).collect();
        let zone = format!(
            "{}\nmailer.io TXT v=spf1 ip4:192.0.2.1 -all\nwrong.io TXT v=spf1 ip:192.0.2.1",
            records.join("\n")
        );
        let found = found(&zone, Some("news.eu.shop.io"), &[]).await.replace("SPF of news.eu.shop.io", "SPF");
        assert!(found.lines().any(|line| line.starts_with(says)), "{policies}\n{found}");
    }
}

/// Mail servers as RFC 5321 and RFC 7505, keys as RFC 6376, and policies as RFC 9989 has receivers find them.
#[tokio::test]
async fn what_is_held_against_other_records_is_named() {
    for (zone, says) in [
        ("", "! return path: has neither"),
        ("news.eu.shop.io A 192.0.2.1", "return path: has no MX record, so mail goes to its address"),
        ("news.eu.shop.io MX .", "! return path: takes no mail (RFC 7505)"),
        ("", "! DKIM key s1: has no record"),
        ("s1._domainkey.news.eu.shop.io TXT v=DKIM1; p=", "! DKIM key s1: is revoked"),
        ("s1._domainkey.eu.shop.io TXT v=DKIM1; k=rsa", "! DKIM key s1: has no record with a key"),
        (
            "s1._domainkey.eu.shop.io TXT v=spf1 -all\ns1._domainkey.shop.io TXT p=MIGf",
            "DKIM key s1: is there, at shop.io, for rsa",
        ),
        ("mx._domainkey.mg.shop.io TXT k=rsa; p=MIGf", "DKIM key mx@mg.shop.io: is there, at mg.shop.io"),
        ("", "! DMARC: has no record"),
        ("_dmarc.news.eu.shop.io TXT p=none; v=DMARC1", "! DMARC: has no record"),
        (
            "_dmarc.news.eu.shop.io TXT v=DMARC1; p=rejct",
            "! DMARC: _dmarc.news.eu.shop.io has the policy rejct",
        ),
        (
            "_dmarc.news.eu.shop.io TXT v=DMARC1; p=none\n_dmarc.news.eu.shop.io TXT v=DMARC1; p=reject",
            "! DMARC: has 2 records",
        ),
        ("_dmarc.shop.io TXT v=DMARC1;p=Quarantine", "DMARC: p=quarantine, by _dmarc.shop.io"),
        // The organisation's domain is that with the fewest labels, unless a policy says otherwise.
        (
            "_dmarc.eu.shop.io TXT v=DMARC1; p=none\n_dmarc.shop.io TXT v=DMARC1; p=reject",
            "DMARC: p=reject, by _dmarc.shop.io",
        ),
        (
            "_dmarc.eu.shop.io TXT v=DMARC1; p=none; psd=n\n_dmarc.shop.io TXT v=DMARC1; p=reject",
            "DMARC: p=none, by _dmarc.eu.shop.io",
        ),
        (
            "_dmarc.shop.io TXT v=DMARC1; p=none\n_dmarc.io TXT v=DMARC1; p=reject; psd=y",
            "DMARC: p=none, by _dmarc.shop.io",
        ),
        (
            "_dmarc.eu.shop.io TXT v=DMARC1; p=none\n_dmarc.io TXT v=DMARC1; p=reject; psd=y",
            "DMARC: p=reject, by _dmarc.io",
        ),
    ] {
        let found = found(zone, Some("news.eu.shop.io"), &["s1", "mx@mg.shop.io"]).await;
        let found = found.replace(" at news.eu.shop.io: ", ": ").replace(" of news.eu.shop.io", "");
        assert!(found.lines().any(|line| line.starts_with(says)), "{zone}\n{found}");
    }
}

#[test]
fn names_for_tests_have_no_records() {
    for domain in ["localhost.localdomain", "shop.example", "example.org", "mail.example.com", "test"] {
        assert!(is_reserved(domain), "{domain}");
    }
    assert!(!is_reserved("example.io") && !is_reserved("latest"));
}
