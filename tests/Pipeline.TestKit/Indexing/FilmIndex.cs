using System.Globalization;
using System.IO.Compression;
using System.Text;
using System.Text.Json;
using Pipeline.Indexing;
using Pipeline.Indexing.Analysis;

namespace Pipeline.TestKit.Indexing;

/// <summary>The index of films for workload Q2: Title, Extract, Cast and Genres as texts, Year as a number.</summary>
public static class FilmIndex
{
    /// <summary>The lines of a gzip file, without their ends.</summary>
    public static List<byte[]> Lines(string file)
    {
        using var reader = new StreamReader(
            new GZipStream(File.OpenRead(file), CompressionMode.Decompress),
            Encoding.UTF8
        );
        var lines = new List<byte[]>();
        while (reader.ReadLine() is { } line)
        {
            if (line.Length > 0)
                lines.Add(Encoding.UTF8.GetBytes(line));
        }

        return lines;
    }

    /// <summary>Indexes the given number of copies of the films; the id of a copy ends in its number.</summary>
    public static async Task BuildAsync(IndexStore index, IReadOnlyList<byte[]> lines, int copies)
    {
        var text = new FieldOptions { Indexing = TermForm.Search };
        var (title, extract, cast, genres, year) = (
            index.Field("Title", text),
            index.Field("Extract", text),
            index.Field("Cast", text),
            index.Field("Genres", text),
            index.Field("Year")
        );
        var buffer = new TokenBuffer();
        using var batch = index.NewBatch(1L << 32);
        for (var copy = 0; copy < copies; copy++)
        {
            foreach (var line in lines)
            {
                using var film = JsonDocument.Parse(line);
                var root = film.RootElement;
                var id =
                    root.GetProperty("@metadata").GetProperty("@id").GetString()
                    + "-"
                    + copy.ToString(CultureInfo.InvariantCulture);
                var entry = batch.Begin(Encoding.UTF8.GetBytes(id));
                AddText(entry, title, root.GetProperty("Title"), buffer);
                AddText(entry, extract, root.GetProperty("Extract"), buffer);
                foreach (var value in root.GetProperty("Cast").EnumerateArray())
                    AddText(entry, cast, value, buffer);
                foreach (var value in root.GetProperty("Genres").EnumerateArray())
                    AddText(entry, genres, value, buffer);
                entry.AddLong(year, root.GetProperty("Year").GetInt64());
                entry.End();
            }
        }

        await index.CommitAsync([batch], progress: 1);
    }

    private static void AddText(EntryBuilder entry, IndexField field, JsonElement value, TokenBuffer buffer)
    {
        if (value.ValueKind != JsonValueKind.String)
            return;
        entry.BeginText(field);
        foreach (var token in Analyzers.Standard.Tokens(Encoding.UTF8.GetBytes(value.GetString()!), buffer))
            entry.AddToken(field, token.Term, token.PositionIncrement);
    }
}
