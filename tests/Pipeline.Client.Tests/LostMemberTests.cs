using System.Text.Json.Serialization;
using Xunit;

namespace Pipeline.Client.Tests;

/// <summary>
/// Classes that a source-generated context writes and cannot read are refused before the first save, wherever a document
/// holds them.
/// </summary>
public sealed partial class LostMemberTests
{
    public static TheoryData<object, string> Losing =>
        new()
        {
            { new Closed(), "'Name' of Closed" },
            { new InMember(), "'Name' of Closed" },
            { new InList(), "'Name' of Closed" },
            { new InDictionary(), "'Name' of Closed" },
            { new InNullable(), "'Height' of Size" },
            { new InDerived(), "'Name' of Hidden" },
            { new Deep(), "'Name' of Closed" },
        };

    [Theory]
    [MemberData(nameof(Losing))]
    public async Task A_private_setter_is_refused(object entity, string member)
    {
        await using var f = await OpenAsync(false);
        await using var session = f.Store.OpenSession();
        var refused = Assert.Throws<DocumentModelException>(() => session.Store(entity));
        Assert.Equal(entity.GetType(), refused.Type);
        Assert.Contains($"{member} would be stored and not loaded", refused.Message, StringComparison.Ordinal);
        Assert.Contains("write 'init'", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_list_without_a_setter_is_refused()
    {
        await using var f = await OpenAsync(false);
        await using var session = f.Store.OpenSession();
        var refused = Assert.Throws<DocumentModelException>(() => session.Store(new Unset()));
        Assert.Contains("'Tags' of Unset would be stored and not loaded", refused.Message, StringComparison.Ordinal);
        Assert.Contains("JsonObjectCreationHandling.Populate", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_the_messages_advise_is_loaded(bool isRemote)
    {
        await using var f = await OpenAsync(isRemote);
        await using (var session = f.Store.OpenSession())
        {
            var open = new Open { Inner = new Inner("ann") { Name = "x" } };
            open.Tags.Add("a");
            session.Store(open, "opens/1");
            await session.SaveChangesAsync();
        }

        await using (var session = f.Store.OpenSession())
        {
            var open = (await session.LoadAsync<Open>("opens/1"))!;
            Assert.Equal(
                ("ann", "x", "a", 1),
                (open.Inner!.Owner, open.Inner.Name, Assert.Single(open.Tags), open.TagCount)
            );
            Assert.False(session.Advanced.HasChanges);
            open.Tags.Add("b");
            await session.SaveChangesAsync();
        }

        await using (var session = f.Store.OpenSession())
            Assert.Equal(["a", "b"], (await session.LoadAsync<Open>("opens/1"))!.Tags);
    }

    private static Task<ClientFixture> OpenAsync(bool isRemote) =>
        ClientFixture.OpenAsync(
            isRemote,
            new DocumentStoreOptions { Json = new() { TypeInfoResolver = LostJson.Default } }
        );

    internal sealed class Closed
    {
        public string? Name { get; private set; }

        public void Rename(string name) => Name = name;
    }

    internal sealed class InMember
    {
        public Closed? Inner { get; set; }
    }

    internal sealed class InList
    {
        public List<Closed> Inners { get; set; } = [];
    }

    internal sealed class InDictionary
    {
        public Dictionary<string, Closed> Inners { get; set; } = [];
    }

    internal struct Size
    {
        public int Height { get; private set; }

        public void Grow() => Height++;
    }

    internal sealed class InNullable
    {
        public Size? Size { get; set; }
    }

    [JsonDerivedType(typeof(Hidden), "hidden")]
    internal abstract class Shape;

    internal sealed class Hidden : Shape
    {
        public string? Name { get; private set; }

        public void Rename(string name) => Name = name;
    }

    internal sealed class InDerived
    {
        public Shape? Shape { get; set; }
    }

    internal sealed class Deep
    {
        public Deep? Next { get; set; }

        public List<InDictionary>? Inner { get; set; }
    }

    internal sealed class Unset
    {
        public List<string> Tags { get; } = [];
    }

    internal sealed class Open
    {
        [JsonObjectCreationHandling(JsonObjectCreationHandling.Populate)]
        public List<string> Tags { get; } = [];

        public Inner? Inner { get; set; }

        public int TagCount => Tags.Count;

        public string Kind { get; } = "open";
    }

    internal sealed class Inner(string owner)
    {
        public string Owner { get; } = owner;

        public string? Name { get; init; }
    }

    [JsonSerializable(typeof(Closed))]
    [JsonSerializable(typeof(InMember))]
    [JsonSerializable(typeof(InList))]
    [JsonSerializable(typeof(InDictionary))]
    [JsonSerializable(typeof(InNullable))]
    [JsonSerializable(typeof(InDerived))]
    [JsonSerializable(typeof(Deep))]
    [JsonSerializable(typeof(Unset))]
    [JsonSerializable(typeof(Open))]
    internal sealed partial class LostJson : JsonSerializerContext;
}
