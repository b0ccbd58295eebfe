//! Physics with its usual letters.
fn energy(ρ: f64, Δx: f64, αmax: f64) -> f64 {
    let νmin = 0.5 * ρ; // kg/m³, in µs and Ω
    let größe = "Größe: {}×{} – ok"; // Länge × Breite
    let приветствие = "привет, мир"; /* комментарий */
    let 名前 = "日本語の文字列"; // コメント
    println!("✅ done → {größe} {приветствие} {名前} …");
    νmin * Δx.powi(2) / αmax
}
