using Pipeline.TestKit.Files;
using Pipeline.TestKit.Unicode;
using Xunit;

namespace Pipeline.Indexing.Tests.Analysis;

/// <summary>
/// The committed tables equal the generator's output for the Unicode Character Database. If PIPELINE_UCD names a folder
/// with Unicode 12.1's files, the test rewrites the tables; a difference fails once.
/// </summary>
public sealed class UnicodeTablesTests
{
    [SkippableFact]
    public void The_tables_are_what_the_generator_makes_of_the_database()
    {
        var folder = Environment.GetEnvironmentVariable("PIPELINE_UCD");
        Skip.If(string.IsNullOrEmpty(folder), "PIPELINE_UCD names no folder with the Unicode Character Database");
        var file = Path.Combine(
            RepositoryTree.Root,
            "engine/Pipeline.Indexing/Analysis/Unicode/UnicodeTables.Generated.cs"
        );
        var committed = File.Exists(file) ? File.ReadAllText(file) : "";
        var generated = WordBreakTableWriter.Write(CharacterDatabase.Read(folder!));
        if (generated != committed)
            File.WriteAllText(file, generated);
        Assert.True(generated == committed, $"{file} was not what the generator makes; it has been written anew");
    }
}
