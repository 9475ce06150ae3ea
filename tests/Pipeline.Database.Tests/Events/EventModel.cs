using System.Globalization;
using System.Text;

namespace Pipeline.Database.Tests.Events;

/// <summary>A model of the events, streams, tags and snapshots that must exist after some commits.</summary>
internal sealed class EventModel
{
    private readonly List<(long Position, string Stream, long Sequence, string Text, string[] Tags)> _events = [];
    private readonly Dictionary<string, long> _highest = [];

    public Dictionary<(string Stream, long Sequence), byte> Snapshots { get; } = [];

    public long Position { get; set; }

    public void Append(string stream, string text, string[] tags) =>
        _events.Add((++Position, stream, _highest[stream] = _highest.GetValueOrDefault(stream) + 1, text, tags));

    public void Delete(string stream, long through, int most)
    {
        foreach (var e in _events.Where(e => e.Stream == stream && e.Sequence <= through).Take(most).ToArray())
        {
            _events.Remove(e);
        }
    }

    public string Show()
    {
        var text = new StringBuilder();
        foreach ((var position, var stream, var sequence, var payload, var tags) in _events)
            text.AppendLine(Line(position, stream, sequence, payload, tags));
        for (var s = 0; s < 6; s++)
        {
            text.AppendLine(
                CultureInfo.InvariantCulture,
                $"s{s}: {_highest.GetValueOrDefault($"s{s}")} {string.Join(',', _events.Where(e => e.Stream == $"s{s}").Select(e => e.Sequence))}"
            );
            for (long n = 1; n < 5; n++)
            {
                if (Snapshots.TryGetValue(($"s{s}", n), out var value))
                    text.AppendLine(CultureInfo.InvariantCulture, $"snapshot s{s} {n} {value}");
            }
        }

        for (var tag = 0; tag < 3; tag++)
        {
            text.AppendLine(
                CultureInfo.InvariantCulture,
                $"t{tag}: {string.Join(',', _events.Where(e => e.Tags.Contains($"t{tag}")).Select(e => e.Position))}"
            );
        }

        return text.ToString();
    }

    public static string Line(long position, string stream, long sequence, string text, IReadOnlyList<string> tags) =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"{position} {stream}/{sequence} {text.Length}{text[0]} {string.Join('+', tags)}"
        );
}
