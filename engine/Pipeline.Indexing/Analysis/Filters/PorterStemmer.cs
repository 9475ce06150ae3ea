namespace Pipeline.Indexing.Analysis.Filters;

/// <summary>
/// M. F. Porter's algorithm for English ("An algorithm for suffix stripping", Program 14 (1980) 130-137), as Lucene's
/// PorterStemFilter has it. It includes the author's later changes to step 2: bli → ble and logi → log. A word of one or
/// two characters is its own stem. The vowels are a, e, i, o, u, and y after a consonant. Words are lower-case.
/// </summary>
internal ref struct PorterStemmer
{
    private readonly Span<char> _word;

    /// <summary>The length of the rest of the word.</summary>
    private int _length;

    private PorterStemmer(Span<char> word)
    {
        _word = word;
        _length = word.Length;
    }

    /// <summary>Turns a word into its stem, in place, and gives the stem's length.</summary>
    public static int Stem(Span<char> word)
    {
        if (word.Length <= 2)
            return word.Length;
        var stemmer = new PorterStemmer(word);
        stemmer.Plurals();
        stemmer.PastAndProgressive();
        stemmer.FinalY();
        stemmer.DoubleSuffixes();
        stemmer.Derivations();
        stemmer.SingleSuffixes();
        stemmer.FinalE();
        return stemmer._length;
    }

    /// <summary>Step 1a: sses → ss, ies → i, ss stays, s falls.</summary>
    private void Plurals()
    {
        if (!EndsWith("s"))
            return;
        if (EndsWith("sses") || EndsWith("ies"))
            _length -= 2;
        else if (_word[_length - 2] != 's')
            _length--;
    }

    /// <summary>
    /// Step 1b: eed → ee, ed and ing fall behind a vowel; then at → ate, bl → ble, iz → ize, double consonants become
    /// single, short words get an e.
    /// </summary>
    private void PastAndProgressive()
    {
        if (EndsWith("eed"))
        {
            if (Measure(_length - 3) > 0)
                _length--;
            return;
        }

        var suffix =
            EndsWith("ed") ? 2
            : EndsWith("ing") ? 3
            : 0;
        if (suffix == 0 || !HasVowel(_length - suffix))
            return;
        _length -= suffix;
        if (EndsWith("at") || EndsWith("bl") || EndsWith("iz"))
            _word[_length++] = 'e';
        else if (EndsInDoubleConsonant() && _word[_length - 1] is not ('l' or 's' or 'z'))
            _length--;
        else if (Measure(_length) == 1 && EndsInShortSyllable(_length))
            _word[_length++] = 'e';
    }

    /// <summary>Step 1c: y → i behind another vowel.</summary>
    private readonly void FinalY()
    {
        if (EndsWith("y") && HasVowel(_length - 1))
            _word[_length - 1] = 'i';
    }

    /// <summary>Step 2.</summary>
    private void DoubleSuffixes()
    {
        if (_length < 2)
            return;
        _ = _word[_length - 2] switch
        {
            'a' => Replace("ational", "ate") || Replace("tional", "tion"),
            'c' => Replace("enci", "ence") || Replace("anci", "ance"),
            'e' => Replace("izer", "ize"),
            'l' => Replace("bli", "ble")
                || Replace("alli", "al")
                || Replace("entli", "ent")
                || Replace("eli", "e")
                || Replace("ousli", "ous"),
            'o' => Replace("ization", "ize") || Replace("ation", "ate") || Replace("ator", "ate"),
            's' => Replace("alism", "al")
                || Replace("iveness", "ive")
                || Replace("fulness", "ful")
                || Replace("ousness", "ous"),
            't' => Replace("aliti", "al") || Replace("iviti", "ive") || Replace("biliti", "ble"),
            'g' => Replace("logi", "log"),
            _ => false,
        };
    }

    /// <summary>Step 3.</summary>
    private void Derivations()
    {
        if (_length < 1)
            return;
        _ = _word[_length - 1] switch
        {
            'e' => Replace("icate", "ic") || Replace("ative", "") || Replace("alize", "al"),
            'i' => Replace("iciti", "ic"),
            'l' => Replace("ical", "ic") || Replace("ful", ""),
            's' => Replace("ness", ""),
            _ => false,
        };
    }

    /// <summary>Step 4: suffixes fall behind a stem of measure above 1.</summary>
    private void SingleSuffixes()
    {
        if (_length < 2)
            return;
        var suffix = _word[_length - 2] switch
        {
            'a' => Length("al"),
            'c' => Length("ance", "ence"),
            'e' => Length("er"),
            'i' => Length("ic"),
            'l' => Length("able", "ible"),
            'n' => Length("ant", "ement", "ment", "ent"),
            'o' => _length >= 4 && _word[_length - 4] is 's' or 't' ? Length("ion", "ou") : Length("ou"),
            's' => Length("ism"),
            't' => Length("ate", "iti"),
            'u' => Length("ous"),
            'v' => Length("ive"),
            'z' => Length("ize"),
            _ => 0,
        };
        if (suffix > 0 && Measure(_length - suffix) > 1)
            _length -= suffix;
    }

    /// <summary>Step 5: a final e falls behind a long stem, and ll → l there.</summary>
    private void FinalE()
    {
        // Both parts look at the measure of the word as it stands at the end of step 4; a final e adds nothing to it.
        var whole = _length;
        if (EndsWith("e"))
        {
            var measure = Measure(whole);
            if (measure > 1 || (measure == 1 && !EndsInShortSyllable(_length - 1)))
                _length--;
        }

        if (EndsWith("ll") && Measure(whole) > 1)
            _length--;
    }

    private readonly bool EndsWith(string suffix) => ((ReadOnlySpan<char>)_word[.._length]).EndsWith(suffix);

    /// <summary>The length of the first suffix that the word has, 0 if none.</summary>
    private readonly int Length(params ReadOnlySpan<string> suffixes)
    {
        foreach (var suffix in suffixes)
        {
            if (EndsWith(suffix))
                return suffix.Length;
        }

        return 0;
    }

    /// <summary>Whether the word has the suffix, which is replaced behind a stem of measure above 0.</summary>
    private bool Replace(string suffix, string replacement)
    {
        if (!EndsWith(suffix))
            return false;
        var stem = _length - suffix.Length;
        if (Measure(stem) > 0)
        {
            replacement.CopyTo(_word[stem..]);
            _length = stem + replacement.Length;
        }

        return true;
    }

    /// <summary>
    /// A y is a consonant after a vowel and at the beginning of the word; <paramref name="afterConsonant"/> says
    /// whether a consonant precedes it.
    /// </summary>
    private static bool IsConsonant(char c, bool afterConsonant) =>
        c switch
        {
            'a' or 'e' or 'i' or 'o' or 'u' => false,
            'y' => !afterConsonant,
            _ => true,
        };

    /// <summary>
    /// Whether the character at a place is a consonant. In a run of y, vowels and consonants alternate; the letter
    /// before the run decides about the first.
    /// </summary>
    private readonly bool IsConsonant(int at)
    {
        var first = at;
        while (first > 0 && _word[first] == 'y')
            first--;
        var consonant = IsConsonant(_word[first], afterConsonant: false);
        while (first < at)
            consonant = IsConsonant(_word[++first], consonant);
        return consonant;
    }

    /// <summary>How many times a vowel run is followed by a consonant run among the first characters.</summary>
    private readonly int Measure(int count)
    {
        var measure = 0;
        var before = true;
        for (var i = 0; i < count; i++)
        {
            var consonant = IsConsonant(_word[i], afterConsonant: before && i > 0);
            if (consonant && !before)
                measure++;
            before = consonant;
        }

        return measure;
    }

    private readonly bool HasVowel(int count)
    {
        var before = false;
        for (var i = 0; i < count; i++)
        {
            before = IsConsonant(_word[i], before);
            if (!before)
                return true;
        }

        return false;
    }

    private readonly bool EndsInDoubleConsonant() =>
        _length >= 2 && _word[_length - 1] == _word[_length - 2] && IsConsonant(_length - 1);

    /// <summary>Whether the first characters end in consonant, vowel, consonant, the last one not w, x or y.</summary>
    private readonly bool EndsInShortSyllable(int count) =>
        count >= 3
        && IsConsonant(count - 1)
        && !IsConsonant(count - 2)
        && IsConsonant(count - 3)
        && _word[count - 1] is not ('w' or 'x' or 'y');
}
