using System.Text;
using Pipeline.Client.Conventions;
using Pipeline.Client.Sessions;
using Pipeline.Client.Transport;
using Xunit;

namespace Pipeline.Client.Tests;

/// <summary>The id is put into a document's text, and its metadata is taken out, wherever they are.</summary>
public sealed class DocumentReaderTests
{
    private const string Metadata = """ "@metadata" : {"@id":"notes/1","@collection":"Notes"} """;

    [Theory]
    [InlineData("{#}", null, 0)]
    [InlineData(" \n{ # } ", null, 0)]
    [InlineData("""{"Text":"a","Size":2,#}""", "a", 2)]
    [InlineData("""{#,"Text":"a","Size":2}""", "a", 2)]
    [InlineData("""{"Text":"a",#,"Size":2}""", "a", 2)]
    [InlineData("""{ "Text" : "a" , # , "Size" : 2 }""", "a", 2)]
    [InlineData("""{"Id":"other","Text":"a","Size":2,#}""", "a", 2)]
    [InlineData("""{"\u0049d":"other","Text":"a","Size":2,#}""", "a", 2)]
    [InlineData("""{"Text":"\"Id\"","Size":2,#}""", "\"Id\"", 2)]
    [InlineData("""{"Text":"{\"@metadata\":1}","Size":2,#}""", """{"@metadata":1}""", 2)]
    public void An_object_has_its_id_and_its_members(string json, string? text, int size)
    {
        var model = DocumentModel.Of(typeof(Note), new DocumentStoreOptions());
        foreach (var id in (string[])["notes/1", "nötes/\\\"1"])
        {
            var written = json.Replace(
                "#",
                Metadata.Replace(
                    "notes/1",
                    System.Text.Json.JsonEncodedText.Encode(id).ToString(),
                    StringComparison.Ordinal
                ),
                StringComparison.Ordinal
            );
            var note = (Note)
                DocumentReader.Read(DocumentData.Parse(Encoding.UTF8.GetBytes(written)), model, setsId: true)!;
            Assert.Equal((id, text, size), (note.Id, note.Text, note.Size));
            Assert.Null(note.Others);
        }
    }

    [Fact]
    public void Without_an_id_the_members_are_as_they_are()
    {
        var model = DocumentModel.Of(typeof(Note), new DocumentStoreOptions());
        var note = (Note)
            DocumentReader.Read(
                DocumentData.Parse("""{"Id":"mine","Text":"a","@metadata":{"@id":"notes/1"}}"""u8.ToArray()),
                model,
                setsId: false
            )!;
        Assert.Equal(("mine", "a"), (note.Id, note.Text));
        Assert.Equal(
            "b",
            ((Note)DocumentReader.Read(DocumentData.Parse("""{"Text":"b"}"""u8.ToArray()), model, setsId: true)!).Text
        );
    }

    private sealed class Note
    {
        public string? Id { get; set; }

        public string? Text { get; set; }

        public int Size { get; set; }

        [System.Text.Json.Serialization.JsonExtensionData]
        public Dictionary<string, object>? Others { get; set; }
    }
}
