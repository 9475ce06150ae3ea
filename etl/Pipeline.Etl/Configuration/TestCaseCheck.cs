namespace Pipeline.Etl.Configuration;

/// <summary>Checks test cases for what types alone cannot show, and notes where they stand.</summary>
internal sealed class TestCaseCheck(SettingsBinder binder)
{
    /// <summary>Checks the cases that stand beside the task.</summary>
    public void Check(EtlTaskConfiguration task) => Check(task, task.Tests);

    /// <summary>Checks cases of the task that were read with this binder.</summary>
    public void Check(EtlTaskConfiguration task, IReadOnlyList<TestCaseConfiguration> cases)
    {
        var names = new HashSet<string>(task.Tests.Except(cases).Select(c => c.Name), StringComparer.Ordinal);
        foreach (TestCaseConfiguration test in cases)
        {
            ConfigNode place = binder.NodeOf(test);
            (test.File, test.Line, test.Column) = (binder.File, place.Line, place.Column);
            if (binder.FindNode(test, "name") is ScalarNode { IsNull: false } name && !names.Add(test.Name)) binder.Report(name, $"the case '{test.Name}' is here twice", "give it another name");
            if (binder.FindNode(test, "expect") is null && binder.FindNode(test, "error") is null)
            {
                binder.Report(place, "the case says neither 'expect' nor 'error'", "list the messages under 'expect', [] for none");
            }

            if (binder.FindNode(test, "document") is null && binder.FindNode(test, "documents") is null or SequenceNode { Items.Count: 0 })
            {
                binder.Report(place, "the case has no document", "add it: document: { id: orders/1, body: { … } }");
            }
        }
    }
}
