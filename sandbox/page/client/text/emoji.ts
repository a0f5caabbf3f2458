/** `name character` per entry: common emoji, by Slack's names. */
const table = `
alarm_clock ⏰|arrow_down ⬇️|arrow_forward ▶️|arrow_left ⬅️|arrow_right ➡️|arrow_up ⬆️|arrows_counterclockwise 🔄
ballot_box_with_check ☑️|bangbang ‼️|bar_chart 📊|beers 🍻|bell 🔔|black_circle ⚫|blue_heart 💙|blush 😊|bomb 💣
book 📖|bookmark 🔖|boom 💥|bug 🐛|bulb 💡|bust_in_silhouette 👤|busts_in_silhouette 👥|calendar 📆
chart_with_upwards_trend 📈|checkered_flag 🏁|clap 👏|clipboard 📋|clock1 🕐|closed_lock_with_key 🔐|cloud ☁️|coffee ☕
computer 💻|confetti_ball 🎊|confused 😕|construction 🚧|crossed_fingers 🤞|cry 😢|date 📅|dart 🎯|eyes 👀|exclamation ❗
facepalm 🤦|file_folder 📁|fire 🔥|fireworks 🎆|flag-eu 🇪🇺|floppy_disk 💾|gear ⚙️|gem 💎|ghost 👻|gift 🎁
globe_with_meridians 🌐|green_circle 🟢|green_heart 💚|grey_question ❔|grin 😁|grinning 😀|hammer 🔨|hammer_and_wrench 🛠️
handshake 🤝|heart ❤️|heavy_check_mark ✔️|heavy_exclamation_mark ❗|heavy_minus_sign ➖|heavy_multiplication_x ✖️
heavy_plus_sign ➕|hourglass ⌛|hourglass_flowing_sand ⏳|house 🏠|inbox_tray 📥|information_source ℹ️|interrobang ⁉️
joy 😂|key 🔑|label 🏷️|large_blue_circle 🔵|large_green_circle 🟢|large_red_circle 🔴|large_yellow_circle 🟡|laughing 😆
leftwards_arrow_with_hook ↩️|link 🔗|lock 🔒|loudspeaker 📢|mag 🔍|mailbox 📫|mega 📣|memo 📝|moneybag 💰|muscle 💪
new 🆕|no_entry ⛔|no_entry_sign 🚫|no_good 🙅|ok 🆗|ok_hand 👌|open_file_folder 📂|orange_circle 🟠|outbox_tray 📤
package 📦|page_facing_up 📄|paperclip 📎|partying_face 🥳|party_popper 🎉|pencil 📝|pencil2 ✏️|pray 🙏|pushpin 📌
question ❓|raised_hands 🙌|rainbow 🌈|recycle ♻️|red_circle 🔴|repeat 🔁|robot_face 🤖|rocket 🚀|rotating_light 🚨
runner 🏃|satellite 🛰️|scream 😱|scroll 📜|see_no_evil 🙈|shield 🛡️|ship 🚢|shrug 🤷|skull 💀|slightly_smiling_face 🙂
smile 😄|smiley 😃|snowflake ❄️|sob 😭|sparkles ✨|speech_balloon 💬|star ⭐|star2 🌟|stop_sign 🛑|stopwatch ⏱️
sunglasses 😎|sunny ☀️|sweat_smile 😅|tada 🎉|telephone_receiver 📞|test_tube 🧪|thinking_face 🤔|thumbsdown 👎|thumbsup 👍
ticket 🎫|timer_clock ⏲️|tools 🛠️|toolbox 🧰|traffic_light 🚥|trophy 🏆|turtle 🐢|unlock 🔓|upside_down_face 🙃
vertical_traffic_light 🚦|warning ⚠️|wastebasket 🗑️|wave 👋|white_check_mark ✅|white_circle ⚪|white_small_square ▫️
wink 😉|wrench 🔧|writing_hand ✍️|x ❌|yellow_circle 🟡|yellow_heart 💛|zap ⚡|zzz 💤|+1 👍|-1 👎|100 💯
`;

const characters = new Map(
  table
    .trim()
    .split(/[|\n]/)
    .map((entry) => {
      const space = entry.indexOf(' ');
      return [entry.slice(0, space), entry.slice(space + 1)] as const;
    }),
);

/** The character of an emoji name; undefined: unknown. */
export function emojiOf(name: string): string | undefined {
  return characters.get(name);
}

/** Replaces emoji names between colons; nothing else is markup. */
export function withEmoji(text: string): string {
  return text.replace(/:([a-z0-9_+'-]+):/g, (whole, name: string) => emojiOf(name) ?? whole);
}
