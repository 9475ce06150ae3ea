using System.Collections;
using System.Text;
using Pipeline.Scripting;
using Pipeline.Scripting.Runtime;
using Xunit;

namespace Pipeline.Database.Tests.Scripts;

public sealed class JsonItemsTests
{
    public static TheoryData<object, string> Collections =>
        new()
        {
            {
                new List<int> { 1, 2 },
                "[1,2]"
            },
            {
                new ArrayList { 1, "a" },
                "[1,\"a\"]"
            },
            {
                new Dictionary<string, int> { ["a"] = 1, ["b"] = 2 },
                "{\"a\":1,\"b\":2}"
            },
            {
                new Hashtable { ["a"] = 1 },
                "{\"a\":1}"
            },
        };

    [Theory]
    [MemberData(nameof(Collections))]
    public void Lists_are_arrays_and_dictionaries_objects(object value, string json) =>
        Assert.Equal(json, Write(value, ScriptLimits.Default));

    [Theory]
    [InlineData(typeof(List<int>))]
    [InlineData(typeof(ArrayList))]
    [InlineData(typeof(Dictionary<int, int>))]
    [InlineData(typeof(Hashtable))]
    public void Each_item_of_any_of_them_is_a_step_of_the_script(Type type)
    {
        var value = Activator.CreateInstance(type)!;
        for (var i = 0; i < 5_000; i++)
        {
            if (value is IDictionary dictionary)
                dictionary.Add(i, i);
            else
                ((IList)value).Add(i);
        }
        Assert.Throws<ScriptLimitException>(() => Write(value, ScriptLimits.Default with { MaxSteps = 1_000 }));
    }

    private static string Write(object value, ScriptLimits limits)
    {
        var writer = new JsonBodyWriter();
        writer.Reset(1 << 20);
        var run = new ScriptGuard.Run();
        ScriptGuard.Begin(run, limits, default);
        try
        {
            JsonTypeWriter.For(value.GetType()).WriteObject(writer, value);
        }
        finally
        {
            ScriptGuard.End(run);
        }
        return Encoding.UTF8.GetString(writer.Written);
    }
}
