using System.Text;

namespace Pipeline.Scripting.Compilation;

/// <summary>
/// A user's text with generated text around and inside it. Maps every generated position back to the user's text.
/// </summary>
internal sealed class MappedText
{
    private readonly record struct Segment(int Start, int Length, int UserStart, int UserLength, bool Verbatim);

    internal readonly record struct Edit(int Start, int Length, string Text);

    private readonly List<int> _userLines = [0];
    private List<Segment> _segments;

    public MappedText(string? name, string prologue, string user, string epilogue)
    {
        Name = name;
        User = user;
        Text = prologue + user + epilogue;
        _segments =
        [
            new Segment(0, prologue.Length, 0, 0, false),
            new Segment(prologue.Length, user.Length, 0, user.Length, true),
            new Segment(prologue.Length + user.Length, epilogue.Length, user.Length, 0, false),
        ];
        for (var i = 0; i < user.Length; i++)
        {
            if (user[i] == '\n' || (user[i] == '\r' && (i + 1 == user.Length || user[i + 1] != '\n')))
                _userLines.Add(i + 1);
        }
    }

    public string? Name { get; }

    public string User { get; }

    public string Text { get; private set; }

    /// <summary>The generated span of the user's text as a whole.</summary>
    public int UserStart => _segments[0].Length;

    public int UserEnd => _segments[^1].Start;

    /// <summary>
    /// Applies edits at positions of <see cref="Text"/>; edits at the same position keep their order.
    /// </summary>
    public void Apply(IEnumerable<Edit> edits)
    {
        var text = new StringBuilder(Text.Length + 256);
        var segments = new List<Segment>(_segments.Count + 16);
        var position = 0;
        foreach (var edit in edits.OrderBy(e => e.Start))
        {
            Copy(text, segments, position, edit.Start);
            var start = ToUser(edit.Start);
            var end = edit.Length == 0 ? start : EndToUser(edit.Start + edit.Length);
            segments.Add(new Segment(text.Length, edit.Text.Length, start, System.Math.Max(end - start, 0), false));
            text.Append(edit.Text);
            position = edit.Start + edit.Length;
        }

        Copy(text, segments, position, Text.Length);
        Text = text.ToString();
        _segments = segments;
    }

    private void Copy(StringBuilder text, List<Segment> segments, int start, int end)
    {
        foreach (var segment in _segments)
        {
            var from = System.Math.Max(segment.Start, start);
            var to = System.Math.Min(segment.Start + segment.Length, end);
            if (from >= to)
                continue;
            segments.Add(
                segment with
                {
                    Start = text.Length + from - start,
                    Length = to - from,
                    UserStart = segment.Verbatim ? segment.UserStart + from - segment.Start : segment.UserStart,
                    UserLength = segment.Verbatim ? to - from : segment.UserLength,
                }
            );
        }

        text.Append(Text, start, end - start);
    }

    private Segment Find(int position)
    {
        var low = 0;
        var high = _segments.Count - 1;
        while (low < high)
        {
            var middle = (low + high + 1) / 2;
            if (_segments[middle].Start <= position)
                low = middle;
            else
                high = middle - 1;
        }

        return _segments[low];
    }

    public int ToUser(int position)
    {
        var segment = Find(position);
        return segment.Verbatim
            ? segment.UserStart + System.Math.Min(position - segment.Start, segment.Length)
            : segment.UserStart;
    }

    public int EndToUser(int end)
    {
        if (end == 0)
            return 0;
        var segment = Find(end - 1);
        return segment.Verbatim ? segment.UserStart + end - segment.Start : segment.UserStart + segment.UserLength;
    }

    /// <summary>Line and column, from 1, of a position in the user's text.</summary>
    public (int Line, int Column) LineOf(int user)
    {
        var index = _userLines.BinarySearch(user);
        if (index < 0)
            index = ~index - 1;
        return (index + 1, user - _userLines[index] + 1);
    }
}
