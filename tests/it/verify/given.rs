//! YAML as values, for what is expected and for what is printed.

use saphyr_parser::{Event, Parser, ScalarStyle, StrInput};
use serde_json::{Map, Value};

/// Reads one document; a key that stands twice is a fault.
pub(super) fn yaml(text: &str) -> Value {
    let mut parser = Parser::new_from_str(text);
    loop {
        match next(&mut parser) {
            Event::StreamStart | Event::DocumentStart(_) => {}
            event => return node(&mut parser, event),
        }
    }
}

fn next<'a>(parser: &mut Parser<'a, StrInput<'a>>) -> Event<'a> {
    parser.next_event().expect("more").expect("YAML").0
}

fn node<'a>(parser: &mut Parser<'a, StrInput<'a>>, event: Event<'a>) -> Value {
    match event {
        Event::Scalar(text, ScalarStyle::Plain, ..) => match text.as_ref() {
            "null" | "~" | "" => Value::Null,
            text => text
                .parse::<u64>()
                .map_or_else(|_| text.into(), Value::from),
        },
        Event::Scalar(text, ..) => text.as_ref().into(),
        Event::SequenceStart(..) => {
            let mut items = Vec::new();
            loop {
                match next(parser) {
                    Event::SequenceEnd => return items.into(),
                    event => items.push(node(parser, event)),
                }
            }
        }
        Event::MappingStart(..) => {
            let mut map = Map::new();
            loop {
                let key = match next(parser) {
                    Event::MappingEnd => return Value::Object(map),
                    Event::Scalar(text, ..) => text.into_owned(),
                    other => panic!("a key is {other:?}"),
                };
                let event = next(parser);
                let value = node(parser, event);
                assert!(map.insert(key, value).is_none(), "a key stands twice");
            }
        }
        other => panic!("{other:?}"),
    }
}
