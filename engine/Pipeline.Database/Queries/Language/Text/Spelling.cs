namespace Pipeline.Database;

/// <summary>Finds the likely meaning of a misspelt word.</summary>
public static class Spelling
{
    private const int MaxWordLength = 64;

    /// <summary>The nearest of the known words: at most a third of its letters differ (case aside).</summary>
    /// <param name="word">The misspelt word.</param>
    /// <param name="known">The words that are known.</param>
    /// <returns>The nearest word, the first of equally near ones; <see langword="null"/> if none is near.</returns>
    public static string? Nearest(string word, IEnumerable<string> known)
    {
        ArgumentNullException.ThrowIfNull(word);
        ArgumentNullException.ThrowIfNull(known);
        if (word.Length > MaxWordLength)
            return null;
        string? best = null;
        var bestDistance = int.MaxValue;
        foreach (var candidate in known)
        {
            if (candidate.Length > MaxWordLength)
                continue;
            var allowed = Math.Max(1, Math.Min(word.Length, candidate.Length) / 3);
            var distance = Distance(word, candidate);
            if (distance > allowed || distance >= bestDistance)
                continue;
            (best, bestDistance) = (candidate, distance);
        }

        return best;
    }

    /// <summary>A suggestion: the nearest word, otherwise all words if there are few.</summary>
    /// <param name="word">The misspelt word.</param>
    /// <param name="known">The known words.</param>
    /// <returns>A clause for an error's text; <see langword="null"/> if there is nothing to suggest.</returns>
    public static string? Suggest(string word, IEnumerable<string> known)
    {
        string[] words = [.. known.Order(StringComparer.Ordinal)];
        var near = Nearest(word, words);
        if (near is not null)
            return $"did you mean '{near}'?";
        return words.Length is 0 or > 20 ? null : $"known here: {string.Join(", ", words)}";
    }

    // Optimal string alignment: insertions, deletions, replacements and swaps of neighbours, each one step; letters
    // compared without case.
    private static int Distance(string a, string b)
    {
        var rows = new int[3][];
        for (var r = 0; r < 3; r++)
            rows[r] = new int[b.Length + 1];
        for (var j = 0; j <= b.Length; j++)
            rows[0][j] = j;
        for (var i = 1; i <= a.Length; i++)
        {
            int[] row = rows[i % 3],
                above = rows[(i - 1) % 3],
                twoAbove = rows[(i + 1) % 3];
            row[0] = i;
            for (var j = 1; j <= b.Length; j++)
            {
                var cost = Same(a[i - 1], b[j - 1]) ? 0 : 1;
                row[j] = Math.Min(Math.Min(above[j] + 1, row[j - 1] + 1), above[j - 1] + cost);
                if (i > 1 && j > 1 && Same(a[i - 1], b[j - 2]) && Same(a[i - 2], b[j - 1]))
                    row[j] = Math.Min(row[j], twoAbove[j - 2] + 1);
            }
        }

        return rows[a.Length % 3][b.Length];
    }

    private static bool Same(char x, char y) => char.ToLowerInvariant(x) == char.ToLowerInvariant(y);
}
