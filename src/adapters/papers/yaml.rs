//! YAML as the values of JSON: plain maps, lists and scalars. Anchors, aliases, tags and a key
//! that stands twice are refused with their line.

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};
use serde_json::{Map, Value};

/// Deepest nesting that is followed.
const DEEPEST: usize = 64;

type Fault = (usize, String);

/// Reads one document.
pub(super) fn value(text: &str) -> Result<Value, Fault> {
    let mut reader = Reader(Parser::new_from_str(text));
    loop {
        let (event, span) = reader.next()?;
        match event {
            Event::StreamStart | Event::DocumentStart(_) => {}
            Event::StreamEnd | Event::DocumentEnd => {
                return Err((span.start.line(), "it holds nothing".to_owned()));
            }
            event => return reader.node(event, span, 0),
        }
    }
}

struct Reader<'a>(Parser<'a, StrInput<'a>>);

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), Fault> {
        match self.0.next_event() {
            Some(Ok(found)) => Ok(found),
            Some(Err(error)) => Err((error.marker().line(), format!("it is no YAML: {error}"))),
            None => Err((1, "it ends too early".to_owned())),
        }
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Value, Fault> {
        let line = span.start.line();
        if depth > DEEPEST {
            return Err((line, "it is nested too deeply".to_owned()));
        }
        match event {
            Event::Scalar(text, style, 0, None) => Ok(scalar(&text, style)),
            Event::SequenceStart(0, None) => {
                let mut items = Vec::new();
                loop {
                    let (event, span) = self.next()?;
                    if matches!(event, Event::SequenceEnd) {
                        return Ok(Value::Array(items));
                    }
                    items.push(self.node(event, span, depth + 1)?);
                }
            }
            Event::MappingStart(0, None) => {
                let mut map = Map::new();
                loop {
                    let (event, span) = self.next()?;
                    let key = match event {
                        Event::MappingEnd => return Ok(Value::Object(map)),
                        Event::Scalar(text, _, 0, None) => text.into_owned(),
                        _ => return Err((span.start.line(), "a key is no text".to_owned())),
                    };
                    let at = span.start.line();
                    let (event, span) = self.next()?;
                    let value = self.node(event, span, depth + 1)?;
                    if map.insert(key, value).is_some() {
                        return Err((at, "a key stands twice".to_owned()));
                    }
                }
            }
            Event::Alias(_) => Err((line, "an alias is not followed".to_owned())),
            _ => Err((line, "anchors and tags are not read".to_owned())),
        }
    }
}

/// A scalar: quoted ones are text, plain ones what the JSON schema of YAML makes of them.
fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return Value::String(text.to_owned());
    }
    match text {
        "" | "~" | "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => match text.parse::<u64>() {
            Ok(number) if number.to_string() == text => number.into(),
            _ => Value::String(text.to_owned()),
        },
    }
}
