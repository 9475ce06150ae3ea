namespace Pipeline.Configuration.Testing;

/// <summary>The lines to remove and to add that turn one text into another.</summary>
internal static class LineDiff
{
    private const int Context = 3;
    private const long MaxCells = 4_000_000;

    /// <summary>Lines that begin with <c>-</c>, <c>+</c> or a space, with three equal lines around each change and
    /// <c>…</c> for omitted ones; empty if both are equal.</summary>
    public static List<string> Of(string[] expected, string[] actual)
    {
        var all = new List<(char Sign, string Line)>();
        int start = 0,
            end = 0;
        while (start < expected.Length && start < actual.Length && expected[start] == actual[start])
            start++;
        while (
            end < expected.Length - start && end < actual.Length - start && expected[^(end + 1)] == actual[^(end + 1)]
        )
        {
            end++;
        }

        all.AddRange(expected[..start].Select(l => (' ', l)));
        Middle(expected[start..^end], actual[start..^end], all);
        all.AddRange(expected[^end..].Select(l => (' ', l)));
        return Shorten(all);
    }

    private static void Middle(string[] expected, string[] actual, List<(char, string)> all)
    {
        if ((long)expected.Length * actual.Length > MaxCells)
        {
            all.AddRange(expected.Select(l => ('-', l)));
            all.AddRange(actual.Select(l => ('+', l)));
            return;
        }

        // The length of the longest common row of lines from each pair of places on.
        var common = new int[expected.Length + 1, actual.Length + 1];
        for (var i = expected.Length - 1; i >= 0; i--)
        {
            for (var j = actual.Length - 1; j >= 0; j--)
            {
                common[i, j] =
                    expected[i] == actual[j] ? common[i + 1, j + 1] + 1 : Math.Max(common[i + 1, j], common[i, j + 1]);
            }
        }

        (var e, var a) = (0, 0);
        while (e < expected.Length || a < actual.Length)
        {
            if (e < expected.Length && a < actual.Length && expected[e] == actual[a])
                (all, e, a) = (Add(all, ' ', expected[e]), e + 1, a + 1);
            else if (a == actual.Length || e < expected.Length && common[e + 1, a] >= common[e, a + 1])
                all.Add(('-', expected[e++]));
            else
                all.Add(('+', actual[a++]));
        }
    }

    private static List<(char, string)> Add(List<(char, string)> all, char sign, string line)
    {
        all.Add((sign, line));
        return all;
    }

    private static List<string> Shorten(List<(char Sign, string Line)> all)
    {
        var result = new List<string>();
        var isGap = false;
        for (var i = 0; i < all.Count; i++)
        {
            var isNear = false;
            for (var k = Math.Max(0, i - Context); k <= Math.Min(all.Count - 1, i + Context); k++)
                isNear |= all[k].Sign != ' ';
            if (isNear)
                result.Add($"{all[i].Sign} {all[i].Line}");
            else if (!isGap)
                result.Add("  …");
            isGap = !isNear;
        }

        return all.Exists(l => l.Sign != ' ') ? result : [];
    }
}
