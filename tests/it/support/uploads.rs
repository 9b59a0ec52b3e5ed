//! Uploads in pieces, as libcurl sends them.

use crate::support::world::{Reply, Shop, World};

/// One call as libcurl sends it: form-encoded, credentials in front.
pub async fn post_piece(world: &World, shop: &Shop, path: &str, name: &str, piece: Option<&[u8]>) -> Reply {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.append_pair("accessKey", &shop.key).append_pair("secretKey", &shop.secret);
    form.append_pair("feedName", name);
    let mut body = form.finish();
    if let Some(piece) = piece {
        body += "&payLoad=";
        body.extend(url::form_urlencoded::byte_serialize(piece));
    }
    body += "&php=8.2.7";
    let request = world.request("POST", path).header("content-type", "application/x-www-form-urlencoded");
    world.send(request.body(body)).await
}

/// The same, expecting the two letters.
pub async fn send_piece(world: &World, shop: &Shop, path: &str, name: &str, piece: &str) -> Reply {
    let piece = (!piece.is_empty()).then_some(piece.as_bytes());
    let reply = post_piece(world, shop, path, name, piece).await;
    assert_eq!((reply.status, reply.text.as_str()), (200, "OK"), "{path}");
    assert!(reply.header("content-type").starts_with("text/plain"));
    reply
}

/// Sends a whole feed in these pieces, the first with create and the last with close; gives its token.
pub async fn send_feed(world: &World, shop: &Shop, name: &str, pieces: &[&str]) -> String {
    let (last, rest) = pieces.split_last().expect("pieces");
    let (first, rest) = rest.split_first().expect("two pieces");
    send_piece(world, shop, "/feed-create", name, first).await;
    for piece in rest {
        send_piece(world, shop, "/feed-append", name, piece).await;
    }
    close_upload(world, shop, name, last).await
}

pub async fn close_upload(world: &World, shop: &Shop, name: &str, piece: &str) -> String {
    send_piece(world, shop, "/feed-close", name, piece).await.header("x-feed-token").to_owned()
}
