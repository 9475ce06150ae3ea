using System.Text.Json;

namespace Pipeline.Worker.Tests;

/// <summary>The Northwind documents of the Quickstart sample, read with System.Text.Json alone.</summary>
internal static class NorthwindFile
{
    public static string Path { get; } = Find();

    public static IReadOnlyList<JsonElement> Read() =>
        [.. File.ReadLines(Path).Select(l => JsonDocument.Parse(l).RootElement)];

    public static string Id(JsonElement document) => document.GetProperty("@metadata").GetProperty("@id").GetString()!;

    public static string Collection(JsonElement document) =>
        document.GetProperty("@metadata").GetProperty("@collection").GetString()!;

    public static string SampleFolder => System.IO.Path.GetDirectoryName(Path)!;

    private static string Find()
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            var file = System.IO.Path.Combine(folder.FullName, "samples", "Quickstart", "northwind.jsonl");
            if (File.Exists(file))
                return file;
        }
        throw new FileNotFoundException(
            "samples/Quickstart/northwind.jsonl is in no folder above " + AppContext.BaseDirectory
        );
    }
}
