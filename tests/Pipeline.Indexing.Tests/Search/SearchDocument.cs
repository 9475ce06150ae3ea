namespace Pipeline.Indexing.Tests.Search;

/// <summary>An entry of the tests' index: texts, tags (several, or null), numbers, and points.</summary>
internal sealed record SearchDocument(
    string Id,
    string[][] Texts,
    string?[] Tags,
    long[] Numbers,
    double[] Prices,
    (double Latitude, double Longitude)[] Points
)
{
    /// <summary>The positions of a token: the texts of an entry are 32 positions apart.</summary>
    public List<int> Positions(string token)
    {
        var found = new List<int>();
        var position = -1;
        for (var t = 0; t < Texts.Length; t++)
        {
            if (t > 0)
                position += 32;
            foreach (var each in Texts[t])
            {
                position++;
                if (each == token)
                    found.Add(position);
            }
        }

        return found;
    }

    public int Length => Texts.Sum(t => t.Length);
}
